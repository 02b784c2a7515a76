// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';

const { world, owner, reporter, guest, api, filled, committed } = await startCommittingWorld();
const stranger = await world.user();
/** Who makes commits without the server. */
const OTHER = ['-c', 'user.name=O', '-c', 'user.email=o@example.org'];

/** Branches and tags of a history that parts behind its second commit. */
let at: string;
const shas: Record<string, string> = {};

beforeAll(async () => {
  const own = await filled([{ action: 'create', file_path: 'a', content: '1\n' }]);
  at = own.at;
  const add = async (name: string, branch: string) => {
    const action = { action: 'create', file_path: name, content: name };
    shas[name] = (await committed(at, [action], { branch })).id;
  };
  await add('second', 'master');
  await api.post(`${at}/branches`, { branch: 'topic/ä', ref: 'master' });
  await api.post(`${at}/tags`, { tag_name: 'v1', ref: 'master', message: 'One' });
  await add('ours', 'master');
  await add('theirs', 'topic/ä');
  await api.post(`${at}/tags`, { tag_name: 'v2', ref: 'master' });
});

describe('GET /projects/:id/repository/commits/:sha/refs', () => {
  const refs = async (sha: string, query = '', who = reporter) => {
    const { status, body } = await world.api(who).get(`${at}/commits/${sha}/refs${query}`);
    return status === 200 ? body.map(({ type, name }: Record<string, string>) => `${type} ${name}`) : [status, body];
  };

  it('tells the branches and tags that reach the commit, branches first, each by name', async () => {
    expect(await refs(shas.second ?? '')).toEqual(['branch master', 'branch topic/ä', 'tag v1', 'tag v2']);
    expect(await refs(shas.ours ?? '')).toEqual(['branch master', 'tag v2']);
    expect(await refs(shas.theirs ?? '')).toEqual(['branch topic/ä']);
    expect(await refs('v1', '?type=all')).toEqual(['branch master', 'branch topic/ä', 'tag v1', 'tag v2']);
    expect(await refs(shas.second ?? '', '?type=branch')).toEqual(['branch master', 'branch topic/ä']);
    expect(await refs(shas.second ?? '', '?type=tag')).toEqual(['tag v1', 'tag v2']);
    expect(await refs(shas.second ?? '', '?type=note')).toEqual([400, { error: 'type does not have a valid value' }]);
    expect(await refs('0'.repeat(40))).toEqual([404, { message: '404 Commit Not Found' }]);
  });

  it('in pages', async () => {
    const { headers, body } = await api.get(`${at}/commits/${shas.second}/refs?per_page=1&page=2`);
    expect(body).toEqual([{ type: 'branch', name: 'topic/ä' }]);
    expect([headers['x-total'], headers['x-next-page']]).toEqual(['4', '3']);
  });

  it('to nobody who cannot read the repository', async () => {
    expect(await refs(shas.second ?? '', '', guest)).toEqual([403, { message: '403 Forbidden' }]);
    expect(await refs(shas.second ?? '', '', stranger)).toEqual([404, { message: '404 Project Not Found' }]);
  });
});

describe('GET /projects/:id/repository/merge_base', () => {
  const base = async (refs: readonly string[], who = reporter) => {
    const query = refs.map((ref) => `refs[]=${encodeURIComponent(ref)}`).join('&');
    const { status, body } = await world.api(who).get(`${at}/merge_base?${query}`);
    return status === 200 ? body.id : [status, body.message ?? body.error];
  };

  it('finds the best common ancestor of two and of several', async () => {
    expect(await base(['master', 'topic/ä'])).toBe(shas.second);
    expect(await base(['topic/ä', shas.ours ?? '', 'v2'])).toBe(shas.second);
    expect(await base(['v2', 'master'])).toBe(shas.ours);
    expect(await base(['master', 'topic/ä', `${shas.second}~1`])).toBe(
      (await api.get(`${at}/commits/${shas.second}`)).body.parent_ids[0],
    );
  });

  it('says what is missing', async () => {
    expect(await base(['master'])).toEqual([400, 'Provide at least 2 refs']);
    expect(await base([])).toEqual([400, 'refs is missing']);
    expect(await base(['master', 'none'])).toEqual([400, 'Could not find ref: none']);
    expect(await base(['no', 'none', 'master'])).toEqual([400, 'Could not find refs: no, none']);
    expect(await base(Array.from({ length: 21 }, () => 'master'))).toEqual([400, 'Provide at most 20 refs']);
    expect(await base(['master', 'v1'], guest)).toEqual([403, '403 Forbidden']);
  });

  it('finds none of histories that never met', async () => {
    const alien = await filled([{ action: 'create', file_path: 'x', content: 'x\n' }]);
    const tree = git(alien.directory, ['rev-parse', 'master^{tree}']).trim();
    const orphan = git(alien.directory, [...OTHER, 'commit-tree', '-m', 'Alone', tree]).trim();
    git(alien.directory, ['update-ref', 'refs/heads/alone', orphan]);
    const { status, body } = await world.api(owner).get(`${alien.at}/merge_base?refs[]=master&refs[]=alone`);
    expect([status, body]).toEqual([404, { message: '404 Merge Base Not Found' }]);
  });
});
