import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyTimeout } from '#src/web/body_timeout.ts';
import { gitRemote, isGitPath, type RemoteLimits } from '#src/web/git_remote.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

/** A server of nothing but these; its URL. */
async function serve(...handlers: RequestHandler[]): Promise<string> {
  const server = createServer(express().use(handlers));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const remote = (limits: Partial<RemoteLimits>) =>
  gitRemote({
    contextOf: (actor) => ({ ...world.as(owner), actor }),
    baseUrl: () => world.url,
    report: (error) => expect.unreachable(String(error)),
    limits,
  });

/** Sends the beginning of a body and no more; how the request ends: its status, or the code of its error. */
function begin(url: string, headers: Record<string, string>, body: string | Buffer): Promise<number | string> {
  return new Promise((resolve) => {
    const all = { ...headers, 'Content-Length': String(body.length + 1_000) };
    const outgoing = request(url, { method: 'POST', headers: all }, (response) => resolve(response.statusCode ?? 0));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    outgoing.write(body);
  });
}

describe('Limits of the git remote', () => {
  it.each([{ idle: 150 }, { total: 300 }])('breaks a push off that does not go on: %o', async (limits) => {
    const project = await world.project({ owner });
    const { directory } = await world.repositories.ensure(project, 'main');
    const url = `${await serve(remote(limits))}/${project.fullPath}.git/git-receive-pack`;
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/main\0report-status`;
    const body = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000PACK\0\0\0\x02\0\0\0\x03`);
    const headers = { 'Content-Type': 'application/x-git-receive-pack-request', 'PRIVATE-TOKEN': owner.token };
    expect(await begin(url, headers, body)).toBe('ECONNRESET');
    const incoming = async () => readdirSync(path.join(directory, 'objects')).every((name) => !name.startsWith('tmp'));
    await world.until(incoming);
  });

  it('tells clients to come again while it serves as many as it may', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const url = await serve(remote({ atOnce: 0 }));
    const answer = await fetch(`${url}/${project.fullPath}.git/info/refs?service=git-upload-pack`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  });
});

describe('Bodies of other requests', () => {
  it('must arrive in time, but those of git have limits of their own', async () => {
    const url = await serve(bodyTimeout(100, isGitPath), (incoming, response) => {
      incoming.resume();
      setTimeout(() => response.end('ok'), 300);
    });
    expect(await begin(`${url}/api/v4/projects`, {}, 'x')).toBe('ECONNRESET');
    expect(await begin(`${url}/a/b.git/git-receive-pack`, {}, 'x')).toBe(200);
  });
});
