"""What a measurement tells about a Pareto frontier, in nats."""
