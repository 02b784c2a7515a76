// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitBytes } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, guest, 'guest');
  directory = await fillRepository(world, project, oddHistory({ packed: true }));
  at = `/projects/${project.id}/repository/blobs`;
});

const hashOf = (revision: string) => git(directory, ['rev-parse', revision]).trim();

describe('GET /projects/:id/repository/blobs/:sha', () => {
  it.each(['binary.bin', 'noeol.txt', 'empty.txt', 'link'])('gives the content of %s', async (path) => {
    const sha = hashOf(`main:${path}`);
    const content = gitBytes(directory, ['cat-file', 'blob', sha]);
    const { status, body } = await api.get(`${at}/${sha}`);
    expect(status).toBe(200);
    expect(body).toEqual({ size: content.length, encoding: 'base64', content: content.toString('base64'), sha });
  });

  it('404 for whatever is no content: commits, trees, names, unknown and short hashes', LONG, async () => {
    const sha = hashOf('main:noeol.txt');
    for (const other of [hashOf('main'), hashOf('main^{tree}'), 'main', '0'.repeat(40), sha.slice(0, 8), 'x y']) {
      for (const end of ['', '/raw']) {
        expect(await api.get(`${at}/${encodeURIComponent(other)}${end}`)).toMatchObject({
          status: 404,
          body: { message: '404 Blob Not Found' },
        });
      }
    }
  });

  it('403 for guests, 404 for strangers and anonymous callers', async () => {
    const sha = hashOf('main:noeol.txt');
    const stranger = await world.user();
    for (const end of ['', '/raw']) {
      expect((await world.api(guest).get(`${at}/${sha}${end}`)).status).toBe(403);
      expect((await world.api(stranger).get(`${at}/${sha}${end}`)).status).toBe(404);
      expect((await world.api().get(`${at}/${sha}${end}`)).status).toBe(404);
    }
  });

  it('is the same in GraphQL', async () => {
    const sha = hashOf('main:noeol.txt');
    const query =
      'query ($ref: ProjectRef!, $sha: String!) { project(ref: $ref) { repository { blob(sha: $sha) { size content } } } }';
    const { body } = await world.graphql(query, { ref: project.id, sha }, owner);
    expect(body.data.project.repository.blob).toEqual({
      size: 13,
      content: Buffer.from('now with one\n').toString('base64'),
    });
  });
});

describe('GET /projects/:id/repository/blobs/:sha/raw', () => {
  it('streams the content', async () => {
    const sha = hashOf('main:noeol.txt');
    const { status, headers, body } = await api.get(`${at}/${sha}/raw`);
    expect([status, body]).toEqual([200, git(directory, ['cat-file', 'blob', sha])]);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      etag: `"${sha}"`,
    });
  });

  it('streams an empty content', async () => {
    const { status, headers, body } = await api.get(`${at}/${hashOf('main:empty.txt')}/raw`);
    expect([status, headers['content-length'], body]).toEqual([200, '0', null]);
  });
});
