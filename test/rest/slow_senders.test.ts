import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const issues = `/api/v4/projects/${project.id}/issues`;

/** Sends the headers of a request with a body of so many bytes, and a little of that. */
async function begin({ token }: TestUser, bytes: number): Promise<Socket> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const type = 'Content-Type: application/json';
  const head = [`POST ${issues} HTTP/1.1`, 'Host: localhost', `PRIVATE-TOKEN: ${token}`, type];
  socket.write(`${[...head, `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n{"title"`);
  return socket;
}

describe('A large body', () => {
  /** What is beside the title is not asked for, and ignored. */
  const large = { title: 'Meanwhile', other: 'x'.repeat(100 * 1024) };

  it('waits for nobody who sends one slowly', LONG, async () => {
    for (let sender = 0; sender < 5; sender += 1) {
      const user = await world.user();
      for (let n = 0; n < 4; n += 1) await begin(user, large.other.length);
    }
    const { status, body } = await world.api(owner).post(`/projects/${project.id}/issues`, large);
    expect([status, body.title]).toEqual([201, large.title]);
  });

  it('may end in the middle, and nothing is made of it', async () => {
    const before = await world.db.issue.count();
    const socket = await begin(owner, large.other.length);
    socket.end();
    await once(socket.resume(), 'close');
    expect(await world.db.issue.count()).toBe(before);
  });

  it('is refused before it is sent where it is too large', async () => {
    const socket = await begin(owner, 3 * 1024 * 1024);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  });
});
