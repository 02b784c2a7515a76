import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld, type TestUser, type World } from './world.ts';

/** A server with the people that tests of registries need. */
export async function registryWorld(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld(options);
  const [owner, master, developer, reporter, guest, stranger] = [
    await world.user(),
    await world.user(),
    await world.user(),
    await world.user(),
    await world.user(),
    await world.user(),
  ];
  /** A private project that they are members of. */
  async function made(settings: Partial<Parameters<World['project']>[0]> = {}): Promise<ProjectRow> {
    const project = await world.project({ owner, visibility: 'private', ...settings });
    const levels = { master, developer, reporter, guest } as const;
    for (const [level, who] of Object.entries(levels)) await world.member(project, who, level as keyof typeof levels);
    return project;
  }
  /** Sends a request as programs of packages do: with a token as the password of Basic authentication. */
  const send = (
    who: TestUser | null,
    method: string,
    path: string,
    sent: RequestInit & { headers?: Record<string, string> } = {},
  ) => {
    const headers = { ...(who && basic(who.username, who.token)), ...sent.headers };
    return fetch(path.startsWith('http') ? path : `${world.url}/api/v4${path}`, {
      redirect: 'manual',
      ...sent,
      method,
      headers,
    });
  };
  return { world, owner, master, developer, reporter, guest, stranger, made, send };
}

export function basic(name: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

export const digest = (kind: string, content: string | Buffer) => createHash(kind).update(content).digest('hex');

/** A form with texts, and one file. */
export function formWith(texts: Record<string, string>, name: string, file: File): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(texts)) form.append(key, value);
  form.append(name, file);
  return form;
}

/** A tar archive of these files, packed by gzip unless said otherwise. */
export async function tarOf(files: Readonly<Record<string, string | Buffer>>, isPacked = true): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content as string);
  archive.finalize();
  return buffer(isPacked ? archive.pipe(createGzip()) : archive);
}
