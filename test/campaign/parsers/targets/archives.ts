// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of other languages
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { logHtml } from '#pages/job_log.ts';
import {
  findZipEntry,
  listZipFiles,
  listZipFolder,
  openZipEntry,
  UnreadableZip,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { OCI_INDEX, parseManifest } from '#src/domain/container_registry/manifest.ts';
import { splitJson } from '#src/domain/gitlab_archives/split_json.ts';
import { readMessage } from '#src/domain/mail_in/read_message.ts';
import { readParagraph, writeParagraph } from '#src/domain/packages/archives/deb822.ts';
import { LzmaDecoder } from '#src/domain/packages/archives/lzma.ts';
import { normalizedVersion, readNuspec } from '#src/domain/packages/archives/nuspec.ts';
import { findInTar, gunzipped } from '#src/domain/packages/archives/tar.ts';
import { BadXz, unpackXz } from '#src/domain/packages/archives/xz.ts';
import { compareVersions, isEarly } from '#src/domain/packages/compare_versions.ts';
import { ArchiveInvalid, linesOf, recordIn } from '#src/domain/project_archives/lines.ts';
import { highlightLines } from '#src/domain/repository/highlight/lines.ts';
import { workOnGpg } from '#src/domain/users/gpg_keys/openpgp.ts';
import { DomainError } from '#src/platform/errors.ts';
import { requireHarmless } from '../harmless.ts';
import { holds, type Target } from '../target.ts';

void LzmaDecoder;

/** A zip with one deflated and one stored file, and a folder. */
function zip(files: readonly (readonly [name: string, content: string, method: 0 | 8])[]): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content, method] of files) {
    const data = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(Buffer.byteLength(content), 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}

const ZIP = zip([
  ['a/b.txt', 'hello '.repeat(30), 8],
  ['a/', '', 0],
  ['c', 'stored', 0],
]);

const NUSPEC =
  '<?xml version="1.0"?><package xmlns="x"><metadata><id>A.B</id><version>1.2.3-beta</version><authors>c</authors><description>d &lt; e</description><dependencies><group targetFramework="net8.0"><dependency id="F" version="[1.0,2.0)"/></group></dependencies></metadata></package>';

/** A store that has the bytes in memory. */
const sourceOf = (bytes: Buffer): ZipSource => ({
  size: bytes.length,
  part: async ({ start, end }) => Readable.from([bytes.subarray(start, end + 1)]),
});

/** Moves the end of the list to the end, and gives it the right place, so that most changes are within the list. */
function mendZip(bytes: Buffer, random: () => number): Buffer {
  const at = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const first = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  if (at < 0 || first < 0 || first >= at || at + 22 > bytes.length || random() < 0.2) return bytes;
  const mended = Buffer.from(bytes.subarray(0, at + 22));
  mended.writeUInt16LE(0, at + 20);
  mended.writeUInt32LE(first, at + 16);
  mended.writeUInt32LE(at - first, at + 12);
  return mended;
}

/** A tar of one kind with a file of each, as blocks with right sums. */
function tar(entries: readonly (readonly [name: string, content: string, type?: string])[]): Buffer {
  return Buffer.concat([
    ...entries.map(([name, content, type = '0']) => {
      const head = Buffer.alloc(512);
      head.write(name, 0);
      head.write('0000644\0', 100);
      head.write('0000000\0', 108);
      head.write('0000000\0', 116);
      head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
      head.write('00000000000\0', 136);
      head.write(type, 156);
      head.write('ustar\0' + '00', 257);
      return Buffer.concat([summed(head), Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
    }),
    Buffer.alloc(1024),
  ]);
}

function summed(head: Buffer): Buffer {
  head.fill(32, 148, 156);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** Gives every block that names a format a right sum again. */
function mendTar(bytes: Buffer): Buffer {
  const mended = Buffer.from(bytes);
  for (let at = 0; at + 512 <= mended.length; at += 512)
    if (mended.toString('latin1', at + 257, at + 262) === 'ustar') summed(mended.subarray(at, at + 512));
  return mended;
}

const TAR = tar([
  ['a/Chart.yaml', 'name: x\nversion: 1.0.0\n'],
  ['pax', '18 path=b/control\n', 'x'],
  ['b', 'Package: x\n'],
  ['link', '', '2'],
  ['././@LongLink', 'long/name\0', 'L'],
  ['l', 'm'],
]);

async function* chunked(bytes: Buffer): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.ceil(bytes.length / 16));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** xz of `hello` and of a text, as xz makes them. */
const XZ = [
  '/Td6WFoAAATm1rRGBMAKBiEBFgAAAAAAAAAAACSoZikBAAVoZWxsbwoAAABVO3i1nr1gQQABIgbvkMqYH7bzfQEAAAAABFla',
  '/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAFaGVsbG8KAAAgMDo2AAEaBkQdEiWQQpkNAQAAAAABWVo=',
].map((text) => Buffer.from(text, 'base64'));

const directory = mkdtempSync(path.join(tmpdir(), 'campaign-archive-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const descriptor = {
  mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
  digest: `sha256:${'a'.repeat(64)}`,
  size: 3,
};
const IMAGE = 'application/vnd.oci.image.manifest.v1+json';
const MAIL = `From: Ada <ada@example.com>\r\nTo: in+key@gantry.example\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\nMessage-ID: <a@b>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nhello =E9\r\n> quoted\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>a <b>b</b></p>\r\n--x\r\nContent-Disposition: attachment; filename*=utf-8''a%20b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--x--\r\n`;

export const targets: Target[] = [
  {
    name: 'archives.zip',
    seeds: [ZIP],
    words: [
      'PK\x01\x02',
      'PK\x03\x04',
      'PK\x05\x06',
      'PK\x06\x06',
      'PK\x06\x07',
      '\xff\xff\xff\xff',
      '\x01\x00\x10\x00',
      'a/',
      '../',
    ],
    refusals: [UnreadableZip, DomainError],
    mend: mendZip,
    async read(input) {
      const source = sourceOf(input);
      for (const folder of ['', 'a']) await listZipFolder(source, folder);
      await listZipFiles(source, '').catch((error) => {
        if (!(error instanceof UnreadableZip)) throw error;
      });
      for (const name of ['a/b.txt', 'c']) {
        const entry = await findZipEntry(source, name);
        if (!entry || entry.size > 4 * 1024 * 1024) continue;
        const opened = await openZipEntry(source, entry);
        let size = 0;
        try {
          for await (const chunk of opened) size += (chunk as Buffer).length;
          holds(size === entry.size, 'A file has another size than its entry');
        } catch (error) {
          const code = String((error as NodeJS.ErrnoException).code);
          if (!(error instanceof UnreadableZip) && !code.startsWith('Z_')) throw error;
        }
      }
    },
  },
  {
    name: 'archives.tar',
    seeds: [TAR],
    words: ['ustar', 'path=', 'size=9', '\0', '0', '5', 'x', 'g', 'L', '7777777', '\x80\0\0\0\0\0\0\0\0\0\0\x01'],
    refusals: [DomainError],
    mend: mendTar,
    read: (input) => findInTar(chunked(input), (name) => name.endsWith('control')),
  },
  {
    name: 'archives.tgz',
    seeds: [gzipSync(TAR), gzipSync(Buffer.alloc(1_000_000))],
    refusals: [DomainError],
    read: (input) => findInTar(gunzipped(chunked(input)), (name) => name === 'nothing'),
  },
  {
    name: 'archives.xz',
    seeds: XZ,
    refusals: [BadXz],
    // In a thread with a limit of its own: what is packed may be a thousand times as long.
    milliseconds: 2_000,
    megabytes: 64,
    read: (input) => unpackXz(input, 1024 * 1024),
  },
  {
    name: 'archives.deb822',
    seeds: [
      'Package: a\nVersion: 1.0-1\nDescription: short\n long\n .\n more\nDepends: b (>= 1), c | d\n# comment\n',
      '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nFormat: 1.8\nFiles:\n abc 1 d e f\n-----BEGIN PGP SIGNATURE-----\n',
    ],
    words: [
      '\n ',
      '\n .',
      ': ',
      '\n\n',
      'Package',
      '#',
      '\t',
      '-----BEGIN PGP SIGNED MESSAGE-----\n',
      '-----BEGIN PGP SIGNATURE-----\n',
    ],
    refusals: [DomainError],
    read(input) {
      const paragraph = readParagraph(input.toString(), 'The file');
      const filled = [...paragraph].filter(([, value]) => value !== '');
      const again = filled.length === 0 ? [] : [...readParagraph(writeParagraph(paragraph), 'The file')];
      holds(JSON.stringify(again) === JSON.stringify(filled), 'What is written is read as something else');
    },
  },
  {
    name: 'archives.nuspec',
    seeds: [NUSPEC, NUSPEC.replaceAll('><', '>\n<!-- c --><')],
    words: [
      '<metadata>',
      '</metadata>',
      '<id>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&lt;',
      '&#65;',
      '<!DOCTYPE',
      '<!ENTITY',
      '/>',
      '<dependency id="',
    ],
    pairs: [
      ['<group>', '</group>'],
      ['<a>', '</a>'],
      ['<!--', '-->'],
    ],
    refusals: [DomainError, UnreadableZip],
    read: (input) => readNuspec(sourceOf(zip([['A.B.nuspec', input.toString('latin1'), 0]]))),
  },
  {
    name: 'archives.versions',
    seeds: ['1.2.3-beta.1+x 1.2.3', '01.0.0.0 1', '1.0.0-alpha 2'],
    refusals: [DomainError],
    words: ['.', '-', '+', 'rc', 'alpha', '0', '99999999999999999999', ' ', 'v'],
    read(input) {
      const [one = '', other = ''] = input.toString().split(' ');
      const forth = compareVersions(one, other);
      holds(
        Math.sign(forth) === -Math.sign(compareVersions(other, one)),
        'The order of versions depends on which comes first',
      );
      normalizedVersion(one.slice(0, 255));
      isEarly(one);
    },
  },
  {
    name: 'archives.manifest',
    seeds: [
      JSON.stringify({
        schemaVersion: 2,
        mediaType: IMAGE,
        config: { ...descriptor, mediaType: 'application/vnd.oci.image.config.v1+json' },
        layers: [descriptor],
        annotations: { a: 'b' },
      }),
      JSON.stringify({
        schemaVersion: 2,
        mediaType: OCI_INDEX,
        manifests: [{ ...descriptor, mediaType: IMAGE, platform: { os: 'linux' } }],
        subject: descriptor,
      }),
    ],
    words: [
      '"config":',
      '"layers":',
      '"digest":',
      '"sha256:',
      '"size":',
      '"urls":',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"annotations":',
      '"__proto__":',
    ],
    refusals: [RegistryError],
    read(input) {
      for (const type of [IMAGE, OCI_INDEX]) {
        try {
          parseManifest(input, type);
        } catch (error) {
          if (!(error instanceof RegistryError)) throw error;
        }
      }
    },
  },
  {
    name: 'archives.mail',
    seeds: [
      MAIL,
      'From: a@b\nTo: <c@d>, "e, f" <g@h>, i: j@k, l@m;\nContent-Type: text/html\n\n<p>a</p><blockquote>b</blockquote>',
    ],
    words: [
      '\r\n',
      '\r\n\r\n',
      '--x\r\n',
      'Content-Type: ',
      'multipart/mixed; boundary=',
      'base64',
      'quoted-printable',
      '=?utf-8?q?',
      '?=',
      'message/rfc822',
      'text/html',
      '<',
      '>',
      ',',
      ';',
      '"',
      '(',
      'charset=',
      "filename*0*=utf-8''",
    ],
    pairs: [
      ['(', ')'],
      ['<', '>'],
      ['"', '"'],
      ['<div>', '</div>'],
    ],
    // In a thread with a limit of its own.
    milliseconds: 600,
    megabytes: 100,
    read: (input) => readMessage(input),
  },
  {
    name: 'archives.gpg_key',
    seeds: [keyOfTests()],
    words: [
      '-----BEGIN PGP PUBLIC KEY BLOCK-----\n',
      '-----END PGP PUBLIC KEY BLOCK-----',
      '\n\n',
      '=',
      'Version: a\n',
    ],
    milliseconds: 1_000,
    read: (input) => workOnGpg({ kind: 'read', armor: input.toString('latin1') } as never),
  },
  {
    name: 'archives.ndjson',
    seeds: ['{"a":1}\n{"b":[2]}\n', '{}\n\n'],
    words: ['\n', '{', '}', '"', '\r\n', '[', ']'],
    refusals: [ArchiveInvalid],
    async read(input) {
      const file = path.join(directory, 'lines');
      writeFileSync(file, input);
      for await (const line of linesOf(file, 'lines'))
        recordIn((line as unknown as { bytes: Buffer }).bytes ?? Buffer.alloc(0), 'lines');
    },
  },
  {
    name: 'archives.split_json',
    seeds: ['{"a":1,"list":[{"b":"}]\\""},{}],"o":{"c":[{}]},"s":"x"}', ' { "l" : [ ] , "n":null }'],
    words: ['{', '}', '[', ']', ',', ':', '"', '\\"', '"list":[', 'null', '\\u0022'],
    pairs: [
      ['[', ']'],
      ['{"a":', '}'],
    ],
    refusals: [ArchiveInvalid],
    async read(input) {
      const file = path.join(directory, 'whole.json');
      writeFileSync(file, input);
      const into = mkdtempSync(path.join(directory, 'split-'));
      try {
        JSON.parse((await splitJson(file, 'whole.json', into, new AbortController().signal)).json);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        // What is no JSON is told by whoever parses it.
        let isJson = true;
        try {
          JSON.parse(input.toString());
        } catch {
          isJson = false;
        }
        holds(!isJson, 'What is left of JSON is none');
      } finally {
        rmSync(into, { recursive: true, force: true });
      }
    },
  },
  {
    name: 'archives.ansi',
    seeds: [
      '\u001b[31mred\u001b[0m \u001b[1;38;5;200mx\u001b[38;2;1;2;3my\r\n',
      'section_start:1:a[collapsed=true]\r\u001b[0Kh\nsection_end:2:a\r\u001b[0K\n',
      'a\rb\u001b[2Kc\u001b]8;;http://x\u0007l\u001b]8;;\u0007',
    ],
    words: [
      '\u001b[',
      'm',
      ';',
      '0',
      '38;5;',
      '48;2;',
      '\r',
      '\n',
      '\u001b[0K',
      'section_start:1:a\r',
      'section_end:1:a\r',
      '<script>',
      '&',
      '"',
    ],
    read(input) {
      // A page has a thousand lines at most.
      const content = input.toString().split('\n').slice(0, 1_000).join('\n');
      const html = logHtml({ firstLine: 1, content });
      holds(!/<(?!\/?(?:span|a|div|details|summary|pre|code|li|ol|b|i)\b)/.test(html), 'A log becomes HTML');
    },
  },
  {
    name: 'archives.highlight',
    seeds: [
      'let a = `b${c}`; // d\n/* e */ <b>x</b>\n',
      'def f(x):\n    """doc"""\n    return {x: 1}\n',
      '<?php echo "a"; ?>\n#include <b>\nSELECT * FROM c;\n',
    ],
    words: [
      '`',
      '${',
      '}',
      '/*',
      '*/',
      '//',
      '"""',
      "'",
      '"',
      '<',
      '>',
      '\n',
      '#',
      '(',
      ')',
      '{',
      'function ',
      'class ',
    ],
    pairs: [
      ['(', ')'],
      ['{', '}'],
      ['/*', '*/'],
      ['`${', '}`'],
    ],
    milliseconds: 2_000,
    megabytes: 150,
    read(input) {
      const text = input.toString();
      for (const name of ['a.ts', 'b.py', 'c.md', 'd.php'].slice(text.length % 4).slice(0, 1)) {
        const { lines } = highlightLines({ text: text.slice(0, 16_384), name }) as { lines: string[] | null };
        for (const line of lines ?? []) requireHarmless(line);
      }
    },
  },
];

/** A public key that tests have. */
function keyOfTests(): string {
  const text = readFileSync(new URL('../../../fixtures/gpg.json', import.meta.url), 'utf8');
  const found = /-----BEGIN PGP PUBLIC KEY BLOCK-----[^"]*?-----END PGP PUBLIC KEY BLOCK-----/.exec(text)?.[0] ?? '';
  return found.replaceAll('\\n', '\n');
}
