#!/usr/bin/env python3
"""Types into a program that wants a terminal: terminal.py SECONDS SCREEN WORDS PROGRAM [ARGUMENT...].

WORDS are typed, and then Enter, once the program has shown something and then nothing for two seconds. What it shows goes
to SCREEN. The program is killed after SECONDS.
"""
import fcntl, os, pty, select, struct, sys, termios, time

seconds, screen, words, program = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(program[0], program)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
end, shown, quiet = time.time() + seconds, False, time.time()
with open(screen, "wb", buffering=0) as out:
    while time.time() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            out.write(data)
            shown, quiet = True, time.time()
        elif words and shown and time.time() - quiet > 2:
            os.write(fd, words.encode())
            time.sleep(0.5)
            os.write(fd, b"\r")
            words = ""
os.kill(pid, 9)
