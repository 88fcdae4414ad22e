#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A store of profiles that fails on purpose.
#
#	store.py FOLDER
#
# It takes the three kinds of requests as the stores do (push.v1.PusherService/Push and /ingest of
# Pyroscope, /profiles/writeraw of Parca), refuses what they would refuse, and writes one line for
# each profile that it took to FOLDER/taken: series, samples, sum of CPU time, time. FOLDER/mode
# says how it behaves: "good", "401", "500", "cut" (it takes the request and closes the connection
# before it answers, and takes nothing), "400".
import base64, gzip, http.server, json, os, re, shutil, signal, sys, urllib.parse, uuid

folder = sys.argv[1]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError("wire type")
        yield key >> 3, value


def packed(data):
    at, all = 0, []
    while at < len(data):
        value, at = varint(data, at)
        all.append(value)
    return all


# What both stores look at: the values of samples, their labels, the time.
def profile(data):
    strings, samples, time = [], [], 0
    for number, value in fields(gzip.decompress(data)):
        if number == 6:
            strings.append(value.decode())
        elif number == 2:
            samples.append(list(fields(value)))
        elif number == 9:
            time = value
    sets, cpu, count = set(), 0, 0
    for sample in samples:
        values, labels = [], []
        for number, value in sample:
            if number == 2:
                values += packed(value)
            elif number == 3:
                label = dict(fields(value))
                if 2 not in label:
                    raise ValueError("a numeric label: " + strings[label[1]])
                labels.append((strings[label[1]], strings[label[2]]))
        sets.add(tuple(sorted(labels)))
        count += values[0]
        cpu += values[1]
    return count, cpu, time, len(sets)


def check_labels(labels):
    names = [label["name"] for label in labels]
    if len(set(names)) != len(names):
        raise ValueError("a label twice")
    for name in names:
        if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name):
            raise ValueError("not a label: " + name)
    if "service_name" not in names or "__name__" not in names:
        raise ValueError("no name of the series")
    return ",".join(sorted("%s=%s" % (l["name"], l["value"]) for l in labels))


def from_json(body, is_parca):
    for series in json.loads(body)["series"]:
        labels = series["labels"]["labels"] if is_parca else series["labels"]
        for sample in series["samples"]:
            if not is_parca:
                uuid.UUID(sample["ID"])
            yield check_labels(labels) + ",id=" + sample.get("ID", ""), base64.b64decode(sample["rawProfile"], validate=True)


def from_query(query, body):
    asked = urllib.parse.parse_qs(query)
    if asked["format"] != ["pprof"] or int(asked["until"][0]) <= int(asked["from"][0]):
        raise ValueError("query")
    yield asked["name"][0], body


class Store(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mode = open(folder + "/mode").read().strip()
        with open(folder + "/seen", "a") as out:
            out.write("%s %s %s\n" % (mode, self.path.split("?")[0], self.headers.get("Authorization")))
        if mode == "cut":
            self.close_connection = True
            return
        if mode != "good":
            return self.answer(int(mode), "because of the test")
        path, _, query = self.path.partition("?")
        try:
            if path == "/push.v1.PusherService/Push":
                taken = list(from_json(body, False))
            elif path == "/profiles/writeraw":
                taken = list(from_json(body, True))
            elif path == "/ingest":
                taken = list(from_query(query, body))
            else:
                return self.answer(404, "no such path")
            lines = ["%s %d %d %d %d\n" % ((name,) + profile(data)) for name, data in taken]
        except Exception as problem:
            return self.answer(400, repr(problem))
        with open(folder + "/taken", "a") as out:
            out.writelines(lines)
        self.answer(200, "{}")

    def log_message(self, *arguments):
        pass


def serve(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Store)
    with open(folder + "/port.new", "w") as out:
        print(server.server_address[1], file=out)
    shutil.copy(folder + "/port.new", folder + "/port.was")
    os.rename(folder + "/port.new", folder + "/port")
    server.serve_forever()


# SIGHUP: the server is killed, in the midst of what it does, and started again at its port.
port = 0
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP, signal.SIGTERM])
while True:
    child = os.fork()
    if child == 0:
        serve(port)
    number = signal.sigwait([signal.SIGHUP, signal.SIGTERM])
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if number == signal.SIGTERM:
        sys.exit(0)
    port = int(open(folder + "/port.was").read())
