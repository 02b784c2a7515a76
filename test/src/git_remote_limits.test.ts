// Each test takes long: the long run has them all.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type GitConcurrencyLimits, gitSemaphore } from '#src/domain/repository/remote/git_concurrency.ts';
import { bodyTimeout } from '#src/entrances/web/body_timeout.ts';
import { gitRemote, isGitPath, type RequestLimits } from '#src/entrances/web/git_remote.ts';
import { run, workingCopy } from '../support/git_client.ts';
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

const remote = (limits: Partial<RequestLimits & GitConcurrencyLimits>) =>
  gitRemote({
    contextOf: (actor) => ({ ...world.as(owner), actor }),
    baseUrl: () => world.url,
    report: (error) => expect.unreachable(String(error)),
    limits,
    gitConcurrency: gitSemaphore(limits),
  });

/** Sends the beginning of a body and no more; how the request ends: its status, or the code of its error. */
function begin(url: string, headers: Record<string, string>, body: string | Buffer): Promise<number | string> {
  return new Promise((resolve) => {
    const all = { ...headers, 'Content-Length': String(body.length + 1_000) };
    const outgoing = request(url, { method: 'POST', headers: all }, (response) => resolve(response.statusCode ?? 0));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    outgoing.flushHeaders();
    if (body.length > 0) outgoing.write(body);
  });
}

const FETCH = { 'Content-Type': 'application/x-git-upload-pack-request' };

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
    const url = await serve(remote({ atOnce: 0, patience: 50 }));
    const answer = await fetch(`${url}/${project.fullPath}.git/info/refs?service=git-upload-pack`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  });

  it('ends requests whose content does not begin, or does not go on', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const slow = await serve(remote({ firstByte: 100 }));
    expect(await begin(`${slow}/${project.fullPath}.git/git-upload-pack`, FETCH, '')).toBe(408);
    const halting = await serve(remote({ window: 200, bytes: 100 }));
    expect(await begin(`${halting}/${project.fullPath}.git/git-upload-pack`, FETCH, '0032want ')).toBe(408);
  });

  it('ends answers of which the client takes nothing', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const { directory } = await world.repositories.ensure(project, 'main');
    const work = await workingCopy();
    const noise = randomBytes(16 * 1024 * 1024);
    writeFileSync(path.join(work, 'noise'), noise);
    await run(work, 'add', '.');
    await run(work, 'commit', '--quiet', '-m', 'Noise');
    await run(work, 'push', '--quiet', directory, 'HEAD:refs/heads/main');
    const commit = await run(work, 'rev-parse', 'HEAD');
    const ended = Promise.withResolvers<void>();
    const watched: RequestHandler = (_, response, next) => {
      response.once('close', () => ended.resolve());
      next();
    };
    const url = new URL(await serve(watched, remote({ window: 300, bytes: 100 })));
    const socket = connect(Number(url.port), url.hostname);
    const body = `0032want ${commit}\n00000009done\n`;
    socket.write(
      [
        `POST /${project.fullPath}.git/git-upload-pack HTTP/1.1`,
        'Host: localhost',
        'Content-Type: application/x-git-upload-pack-request',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    // Nothing is read until the server gives up.
    await ended.promise;
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
    });
    await once(socket, 'close').catch(() => undefined);
    expect(size).toBeLessThan(noise.length);
  });

  it('leaves no more to one address, and to all anonymous callers, than their parts', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const url = await serve(remote({ atOnce: 4, patience: 50, window: 60_000 }));
    const half = () => begin(`${url}/${project.fullPath}.git/git-upload-pack`, FETCH, '0032want ');
    const held = [half(), half()];
    const refs = (headers: Record<string, string> = {}) =>
      fetch(`${url}/${project.fullPath}.git/info/refs?service=git-upload-pack`, { headers }).then(
        ({ status }) => status,
      );
    await world.until(async () => (await refs()) === 429);
    expect(await refs({ 'PRIVATE-TOKEN': owner.token })).toBe(200);
    expect(held).toHaveLength(2);
  });
});

describe('Bodies of other requests', () => {
  it('must arrive in time, but those of git have limits of their own', async () => {
    const url = await serve(bodyTimeout(100, isGitPath, { bytes: 1_000, milliseconds: 100 }), (incoming, response) => {
      incoming.resume();
      setTimeout(() => response.end('ok'), 300);
    });
    expect(await begin(`${url}/api/v4/projects`, {}, 'x')).toBe('ECONNRESET');
    expect(await begin(`${url}/a/b.git/git-receive-pack`, {}, 'x')).toBe(200);
  });
});
