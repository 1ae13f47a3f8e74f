"""The pages: a file each, with the forms that they hold."""
