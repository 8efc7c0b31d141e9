package host

// Roo Code, made from the older Cline, and its heir Zoo Code.
var roo = Host{
	ID: "roo", Name: "Roo Code",
	Sessions: []Sessions{tasks("roo", "rooveterinaryinc.roo-cline")},
}

var _ = add(&roo)
