"""The REST API: the verbs of the command line for instruments and robots, described by OpenAPI.

bodies      what requests and answers hold
looking     verbs that only look
acting      verbs that change the study
working     verbs that take long: begun here, their outcome fetched later
"""
