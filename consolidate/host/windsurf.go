package host

import "dream-mcp/consolidate/transcript/said"

// Windsurf encrypts its sessions.
var windsurf = Host{
	ID: "windsurf", Name: "Windsurf",
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "windsurf",
			Folders: []said.Folder{{
				Path: "windsurf/cascade", Why: "Windsurf's, of all projects", Sealed: map[string]string{"*.pb": "it is encrypted"},
			}},
			ID: fileID,
		},
		Place: Place{Home: ".codeium"},
	}},
}

var _ = add(&windsurf)
