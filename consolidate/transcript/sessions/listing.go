package sessions

import (
	"cmp"
	"errors"
	"io/fs"
	slashed "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// files lists what may be transcripts of the project, modified after since, the newest first.
func (s *Project) files(since time.Time) ([]said.File, said.Skipped, error) {
	folders, err := s.candidates()
	if err != nil {
		return nil, nil, err
	}
	var files []said.File
	skipped := said.Skipped{}
	for _, folder := range folders {
		files = append(files, s.list(folder, since, skipped)...)
	}
	newest(files)
	if len(files) > said.MaxSessions {
		skipped[said.Older] += len(files) - said.MaxSessions
		files = slices.Clone(files[:said.MaxSessions])
	}
	return files, skipped, nil
}

// newest sorts files by their times, the newest first, those of one time by their paths.
func newest(files []said.File) {
	slices.SortFunc(files, func(a, b said.File) int {
		return cmp.Or(b.ModTime.Compare(a.ModTime), strings.Compare(a.Path, b.Path))
	})
}

// list returns the files of a folder that were modified after since and are sessions by name, and counts those that are
// not.
func (s *Project) list(f said.Folder, since time.Time, skipped said.Skipped) (files []said.File) {
	if f.Of != nil {
		listed, left, err := f.Of.List(since)
		s.noteRead(f.Path, f.Host(), err)
		if err != nil {
			left = said.Skipped{said.Unreadable: 1}
		}
		skipped.Add(left)
		for i := range listed {
			listed[i].Format, listed[i].Trust, listed[i].Of = f.Format, said.ByFolder, f.Of
		}
		return listed
	}
	looked := 0
	var look func(below string)
	look = func(below string) {
		if looked >= said.MaxEntries {
			return
		}
		at := filepath.Join(f.Path, filepath.FromSlash(below))
		entries, _, err := said.ReadFolder(at)
		s.noteRead(at, f.Host(), err)
		if err != nil {
			skipped[said.Unreadable]++
			return
		}
		if looked += len(entries); looked >= said.MaxEntries {
			skipped[said.Unlisted] = 1
		}
		for _, e := range entries {
			if name := slashed.Join(below, e.Name()); e.IsDir() && f.Leads(name) {
				look(name)
			} else {
				files = s.appendSession(files, f, name, e, since, skipped)
			}
		}
	}
	look("")
	return files
}

// appendSession adds the file at a path below a folder to the files if it is a session that was modified after since.
func (s *Project) appendSession(files []said.File, f said.Folder, at string, e fs.DirEntry, since time.Time, skipped said.Skipped) []said.File {
	id, reason, ok := f.Named(at)
	path := filepath.Join(f.Path, filepath.FromSlash(at))
	stat, err := e.Info()
	if sealed := f.SealedBy(at); sealed != "" && err == nil && stat.ModTime().After(since) {
		s.noteRead(path, f.Host(), errors.New(sealed))
		skipped[said.Unreadable]++
	}
	if !ok {
		return files
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !stat.ModTime().After(since):
		return files
	case reason == "" && err != nil:
		reason = said.Unreadable
		s.noteRead(path, f.Host(), err)
	case reason == "" && !stat.Mode().IsRegular():
		reason = said.NoSession
	}
	if reason != "" {
		skipped[reason]++
		return files
	}
	return append(files, said.File{
		ID: id, Format: f.Format, Trust: f.Trust, Path: path, Size: stat.Size(), ModTime: stat.ModTime(),
	})
}
