package main

func structuredSpeed() []Case { return nil }
