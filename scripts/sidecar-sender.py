"""A core's end of the event socket, by the SP implementation nng (pynng), for scripts/sidecar-rig.ts.

Reads the events of an event file and takes orders on standard input, one a line, each answered by a line:
  dial URL     connects
  send A B     sends the events from number A up to, not including, B (counted from 0)
  close        closes the connection
A send that is not taken within three seconds is what a core ends for: the answer is then "dead".
"""
import struct
import sys

import pynng

SEND_DEADLINE_MS = 3000


def messages(path):
    found = []
    with open(path, "rb") as file:
        while True:
            head = file.read(12)
            if len(head) < 12:
                return found
            (size,) = struct.unpack(">I", head[:4])
            message = file.read(size - 8)
            if len(message) < size - 8:
                return found
            found.append(message)


def main():
    events = messages(sys.argv[1])
    socket = None
    for line in sys.stdin:
        words = line.split()
        answer = "ok"
        try:
            if words[0] == "dial":
                socket = pynng.Pair0(send_timeout=SEND_DEADLINE_MS, send_buffer_size=1000)
                socket.dial(words[1], block=True)
            elif words[0] == "send":
                for message in events[int(words[1]) : int(words[2])]:
                    socket.send(message)
            elif socket is not None:
                socket.close()
                socket = None
        except pynng.Timeout:
            answer = "dead"
        except pynng.NNGException as error:
            answer = f"failed {error}"
        print(answer, flush=True)


main()
