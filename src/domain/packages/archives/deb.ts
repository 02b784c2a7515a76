import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import { ByteReader } from '#src/domain/packages/archives/byte_reader.ts';
import type { ControlArchive, UnpackedControl } from '#src/domain/packages/archives/deb_thread.ts';
import { fieldOf, type Paragraph, readParagraph } from '#src/domain/packages/archives/deb822.ts';
import { BadRequest, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** A binary package, as its control file tells. */
export interface Deb {
  name: string;
  version: string;
  architecture: string;
  /** The source package that it was built of. */
  source: { name: string; version: string };
  control: Paragraph;
}

/** Bytes of the largest `control.tar` as it is packed, and of what stands before it. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_HEAD_BYTES = 64 * 1024;
const HEADER = 60;

/** Milliseconds of CPU time for an archive, and with the wait for the thread. */
const DEADLINE = { cpu: 3_000, all: 20_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const script = import.meta.filename.endsWith('.ts') ? './deb_thread.ts' : './deb_thread.js';
const threads = new Threads<ControlArchive, UnpackedControl>(new URL(script, import.meta.url), {
  threads: 1,
  memory: 128,
  milliseconds: DEADLINE.all,
  cpuTime: DEADLINE.cpu,
  idle: 30_000,
});
/** One archive at a time; projects take turns. */
const turns = new CallerSemaphore({ concurrency: 1, waitingPerCaller: 100, waiting: 500, patience: 60_000 });

/** What a `.deb` of a project says of itself. Throws BadRequest, Unavailable. */
export async function readDeb(projectId: number, content: AsyncIterable<Uint8Array>): Promise<Deb> {
  const archive = await controlArchiveOf(content);
  const control = readParagraph(await unpacked(projectId, archive), 'The control file of the package');
  const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map((field) => fieldOf(control, field));
  if (!name || !version || !architecture)
    throw new BadRequest('The control file of the package must have Package, Version and Architecture');
  return { name, version, architecture, control, source: sourceOf(fieldOf(control, 'Source'), { name, version }) };
}

/** `Source: name (version)`; what is left out is as of the binary package. */
function sourceOf(given: string | undefined, binary: { name: string; version: string }): Deb['source'] {
  const [, name, version] = /^([^\s(]+)\s*(?:\(\s*([^\s)]+)\s*\))?$/.exec(given ?? '') ?? [];
  return { name: name ?? binary.name, version: version ?? binary.version };
}

/** The member `control.tar.*`, which follows `debian-binary` (deb(5)). */
async function controlArchiveOf(content: AsyncIterable<Uint8Array>): Promise<ControlArchive> {
  const reader = new ByteReader(content, Number.POSITIVE_INFINITY);
  try {
    if ((await reader.read(8)).toString('latin1') !== '!<arch>\n')
      throw new BadRequest('The file is no Debian package');
    for (let passed = 0; passed < MAX_HEAD_BYTES; ) {
      const header = (await reader.read(HEADER)).toString('latin1');
      const name = header.slice(0, 16).trimEnd().replace(/\/$/, '');
      const size = Number(header.slice(48, 58).trim());
      if (header.length < HEADER || !header.endsWith('`\n') || !Number.isSafeInteger(size) || size < 0) break;
      if (name.startsWith('control.tar')) {
        if (size > MAX_PACKED_BYTES) throw new BadRequest(`${name} of the package is too large`);
        const packed = await reader.read(size);
        if (packed.length < size) throw new BadRequest('The package is cut off');
        return { name, packed };
      }
      if (size > MAX_HEAD_BYTES) break;
      await reader.skip(size + (size % 2));
      passed += HEADER + size;
    }
    throw new BadRequest('The package has no control.tar');
  } finally {
    await reader.end();
  }
}

/** The text of the control file. Throws BadRequest, Unavailable. */
async function unpacked(projectId: number, archive: ControlArchive): Promise<string> {
  try {
    const found = await turns.run(`project ${projectId}`, () => threads.run(archive));
    if ('refused' in found) throw new BadRequest(found.refused);
    return found.control;
  } catch (error) {
    if (error instanceof Overrun) throw new BadRequest('The control archive of the package takes too much to unpack');
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again.');
    throw error;
  }
}
