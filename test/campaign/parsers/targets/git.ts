import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { GitError } from '#src/git/base/errors.ts';
import { decodeName, encodeName } from '#src/git/base/names.ts';
import { parseAttributes } from '#src/git/diff/attributes.ts';
import { hunksOf } from '#src/git/diff/hunks.ts';
import { followLine, linesOf, originOfLine } from '#src/git/diff/lines.ts';
import { changesIn } from '#src/git/diff/name_changes.ts';
import { DiffOutput } from '#src/git/diff/output.ts';
import { parseRaw } from '#src/git/diff/raw.ts';
import { ByteReader } from '#src/git/incoming/byte_reader.ts';
import { applyDelta, deltaSizes } from '#src/git/objects/delta.ts';
import { PackFile } from '#src/git/objects/pack_file.ts';
import { extractSignature, parseAnnotation, parseCommit } from '#src/git/objects/parse.ts';
import { TreeCursor } from '#src/git/objects/tree_cursor.ts';
import { parsePackedRefs } from '#src/git/refs/packed.ts';
import { readLines } from '#src/git/remote/pkt_line.ts';
import { readPushRequest } from '#src/git/remote/push_request.ts';
import { CredentialsWanted, FetchRefused, WantGate } from '#src/git/remote/want_gate.ts';
import { holds, type Target } from '../target.ts';

const A = 'a'.repeat(40);
const B = '0123456789abcdef0123456789abcdef01234567';
const ZERO = '0'.repeat(40);
const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** A stream of the bytes in small pieces, as a slow network brings them. */
function pieces(bytes: Buffer): Readable {
  const size = Math.max(1, bytes.length % 97, Math.ceil(bytes.length / 400));
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return Readable.from(parts);
}

const COMMIT = `tree ${A}\nparent ${B}\nauthor Ada M <ada@b.c> 1700000000 +0530\ncommitter Ben <b@c> 1700000001 -0000\nencoding ISO-8859-1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\nSubject\n\nBody \xe9\n`;
const TAG = `object ${A}\ntype commit\ntag v1\ntagger Ada <a@b> 1700000000 +0000\n\nmessage\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n`;
const PATCH =
  '--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ fn()\n a\n-b\n+c\n+d\n e\n@@ -10 +11,0 @@\n-z\n\\ No newline at end of file\n';
const RAW = `:100644 100755 ${A} ${B} M\tsrc/a.ts\n:000000 100644 ${ZERO} ${B} A\t"caf\\303\\251\\t.txt"\n:100644 000000 ${A} ${ZERO} D\tb\n:100644 100644 ${A} ${B} R087\told\tnew\n:100644 120000 ${A} ${B} T\tlink\n`;

/** A pack with one object of each kind, as bytes. */
function pack(): Buffer {
  const blob = Buffer.from('hello '.repeat(20));
  const delta = Buffer.from([120, 11, 0x90, 6, 5, ...Buffer.from('world')]);
  const body = Buffer.concat([
    Buffer.from([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2, 0, 0, 0, 2]),
    Buffer.from([0xb8, 0x07]),
    deflateSync(blob),
    Buffer.from([0x6a, 0x17]),
    deflateSync(delta),
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const ENTRIES = [12, 20, 12 + 2 + deflateSync(Buffer.from('hello '.repeat(20))).length];

/** An index of version 2 that says that objects begin there. */
function indexOf(offsets: readonly number[]): Buffer {
  const names = offsets.map((_, n) => Buffer.alloc(20, n + 1));
  const fanout = Buffer.alloc(1024);
  for (let n = 0; n < 256; n++) fanout.writeUInt32BE(names.filter((name) => (name[0] ?? 0) <= n).length, n * 4);
  const places = Buffer.alloc(4 * offsets.length);
  for (const [n, offset] of offsets.entries()) places.writeUInt32BE(offset, n * 4);
  const head = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
  return Buffer.concat([head, fanout, ...names, Buffer.alloc(4 * offsets.length), places, Buffer.alloc(40)]);
}

const directory = mkdtempSync(path.join(tmpdir(), 'campaign-pack-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
let packs = 0;

/** Reads every object that an index names of a pack, both being the input. */
function readPack(bytes: Buffer, index: Buffer): void {
  const file = path.join(directory, `p${packs++ % 4}`);
  writeFileSync(`${file}.pack`, bytes);
  writeFileSync(`${file}.idx`, index);
  const opened = new PackFile(file, 8 * 1024 * 1024);
  try {
    for (let n = 1; n <= 3; n++) {
      const oid = Buffer.alloc(20, n).toString('hex');
      try {
        opened.header(oid);
        opened.read(oid);
      } catch (error) {
        requireDamage(error);
      }
    }
    opened.matching('01');
  } finally {
    opened.close();
  }
}

/** Files of repositories are damaged by no caller: whatever says so is right, other than what is wrong in the program. */
function requireDamage(error: unknown): void {
  const isOfZlib =
    String((error as NodeJS.ErrnoException).code).startsWith('Z_') ||
    (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  if (!(error instanceof GitError) && !isOfZlib) throw error;
}

const comparison = {
  changes: [],
  isComplete: true,
  sizes: new Map(),
  limits: { files: 100, bytes: 100_000, lines: 5_000 },
  text: true,
};

export const targets: Target[] = [
  {
    name: 'git.commit',
    seeds: [COMMIT, TAG],
    words: [
      'tree ',
      'parent ',
      'author ',
      'committer ',
      'gpgsig ',
      'encoding ',
      '\n\n',
      '\n ',
      '<',
      '>',
      ' +0000',
      ' 1700000000',
      '-----BEGIN SSH SIGNATURE-----',
      '-----END PGP SIGNATURE-----',
    ],
    refusals: [GitError],
    read(input) {
      extractSignature(input);
      for (const parse of [parseCommit, parseAnnotation]) {
        try {
          parse(A, input);
        } catch (error) {
          if (!(error instanceof GitError)) throw error;
        }
      }
    },
  },
  {
    name: 'git.tree',
    seeds: [
      Buffer.concat([
        Buffer.from('100644 a\0'),
        Buffer.alloc(20, 1),
        Buffer.from('40000 b\0'),
        Buffer.alloc(20, 2),
        Buffer.from('160000 c\0'),
        Buffer.alloc(20, 3),
      ]),
    ],
    words: ['100644 ', '40000 ', '120000 ', '\0', '040000 '],
    refusals: [GitError],
    read(input) {
      const cursor = new TreeCursor(input);
      while (cursor.next()) {
        void cursor.type;
        void cursor.mode;
        decodeName(cursor.name);
      }
    },
  },
  {
    name: 'git.names',
    seeds: ['src/a.ts', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80])],
    read(input) {
      holds(encodeName(decodeName(input)).equals(input), 'A name is not the same when it is written again');
    },
  },
  {
    name: 'git.delta',
    seeds: [Buffer.from([120, 11, 0x90, 6, 5, 119, 111, 114, 108, 100]), Buffer.from([120, 20, 0xb0, 20, 0])],
    refusals: [GitError, RangeError],
    read(input) {
      deltaSizes(input);
      const { result } = deltaSizes(input);
      // Sizes are compared with limits before.
      if (result <= 1024 * 1024) applyDelta(Buffer.from('hello '.repeat(20)), input);
    },
  },
  {
    name: 'git.pack',
    seeds: [pack()],
    read: (input) => readPack(input, indexOf(ENTRIES)),
  },
  {
    name: 'git.pack_index',
    seeds: [indexOf(ENTRIES)],
    read(input) {
      try {
        readPack(pack(), input);
      } catch (error) {
        requireDamage(error);
      }
    },
  },
  {
    name: 'git.packed_refs',
    seeds: [`# pack-refs with: peeled fully-peeled sorted \n${A} refs/heads/main\n${B} refs/tags/v1\n^${A}\n`],
    words: [A, ' refs/heads/', '\n', '^', '#'],
    refusals: [GitError],
    read: (input) => parsePackedRefs(input),
  },
  {
    name: 'git.pkt_line',
    seeds: [`${pkt('hello\n')}${pkt('world')}0000`, '0001', `fff0${'a'.repeat(65_516)}0000`],
    words: ['0000', '0001', '0005a', 'ffff', '0004', '00FF'],
    refusals: [GitError],
    read: (input) => readLines(new ByteReader(pieces(input)), 64 * 1024),
  },
  {
    name: 'git.push_request',
    seeds: [
      `${pkt(`${ZERO} ${A} refs/heads/x\0report-status-v2 push-options side-band-64k agent=git/2`)}${pkt(`${A} ${ZERO} refs/heads/y`)}0000${pkt('ci.skip')}${pkt('merge_request.create')}0000PACK`,
      `${pkt(`shallow ${A}`)}${pkt(`${A} ${B} refs/tags/v\0`)}0000`,
    ],
    words: ['0000', pkt(`${A} ${B} refs/heads/z`), 'push-options', ' ', '\0', 'shallow '],
    refusals: [GitError],
    read: (input) => readPushRequest(new ByteReader(pieces(input))),
  },
  {
    name: 'git.want_gate',
    seeds: [
      `${pkt(`want ${A} multi_ack_detailed side-band-64k agent=git/2\n`)}${pkt(`want ${B}\n`)}${pkt('deepen 1\n')}0000${pkt(`have ${A}\n`)}${pkt('done\n')}`,
      `${pkt('command=fetch')}${pkt('agent=git/2')}0001${pkt('thin-pack')}${pkt(`want ${A}\n`)}${pkt('filter blob:none')}${pkt('done')}0000`,
      `${pkt('command=ls-refs\n')}0001${pkt('peel\n')}${pkt('ref-prefix refs/heads/\n')}0000`,
    ],
    words: [
      pkt(`want ${A}\n`),
      pkt(`have ${B}\n`),
      '0000',
      '0001',
      '0002',
      pkt('done\n'),
      pkt('filter combine:a+b'),
      pkt('command=fetch'),
      pkt('want-ref refs/x'),
    ],
    refusals: [GitError, FetchRefused, CredentialsWanted],
    async read(input) {
      const gate = new WantGate({
        allow: async (wants) =>
          holds(
            wants.every((oid) => /^[0-9a-f]{40}$/.test(oid)),
            'What is wanted is no object',
          ),
        guarded: ['refs/x'],
      });
      const passed = pieces(input)
        .on('error', () => undefined)
        .pipe(gate);
      let size = 0;
      for await (const chunk of passed) size += (chunk as Buffer).length;
      holds(size <= input.length, 'More is passed on than came');
    },
  },
  {
    name: 'git.raw_diff',
    seeds: [RAW],
    words: ['\n:', '\t', '"', '\\303', '\\t', ' R100\t', ' T\t', ' M\t', '000000'],
    read(input) {
      parseRaw(input.toString('latin1'));
      changesIn(input, 50);
    },
  },
  {
    name: 'git.diff_output',
    seeds: [
      `${RAW}\ndiff --git a/src/a.ts b/src/a.ts\nold mode 100644\nnew mode 100755\nindex a..b\n${PATCH}diff --git a/b b/b\nBinary files a/b and b/b differ\n`,
    ],
    words: ['\ndiff --git ', '\n--- a/x\n+++ b/x\n', '\n@@ -1 +1 @@\n', '\n\n', 'Binary files', '\n:', '\n+', '\n-'],
    read(input) {
      const output = new DiffOutput(comparison as never, {});
      output.push(input);
      output.end();
      output.plan?.results();
    },
  },
  {
    name: 'git.patch',
    seeds: [PATCH],
    words: ['@@ -1,3 +1,4 @@', '\n+', '\n-', '\n ', '\n\\ No newline', '@@ -0,0 +1 @@', '-99999999999,1', '\n'],
    read(input) {
      const patch = input.toString();
      let lines = 0;
      for (const _ of linesOf(patch)) lines++;
      holds(lines <= patch.length, 'There are more lines than characters');
      hunksOf(patch, 100);
      followLine(patch, 3);
      originOfLine(patch, 3);
    },
  },
  {
    name: 'git.attributes',
    seeds: ['*.ts diff=typescript -text\n[attr]bin -diff -merge\n/a/** bin !eol\n"a b" linguist-vendored\n# c\n'],
    words: ['[attr]', '*', '**', '-diff', '!text', '=', '"', ' ', '\n', '/'],
    read: (input) => parseAttributes(input.toString(), 'a/b', new Map() as never),
  },
];
