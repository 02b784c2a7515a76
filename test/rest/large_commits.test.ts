// Each test takes long: the long run has them all.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const api = world.api(owner);
const FILES = 3_050;

async function commit(branch: string, files: number): Promise<string> {
  const actions = Array.from({ length: files }, (_, at) => ({
    ...{ action: 'create', file_path: `${branch}/${at}.txt`, content: `${at}\n` },
  }));
  const { status, body } = await api.post(`/projects/${project.id}/repository/commits`, {
    ...{ branch, commit_message: `Add ${files}`, actions },
  });
  expect(status).toBe(201);
  return body.id;
}

let large = '';
let small = '';

beforeAll(async () => {
  await commit('main', 1);
  await api.post(`/projects/${project.id}/repository/branches`, { branch: 'large', ref: 'main' });
  await api.post(`/projects/${project.id}/repository/branches`, { branch: 'small', ref: 'main' });
  large = await commit('large', FILES);
  small = await commit('small', 3);
});

const at = (sha: string) => `/projects/${project.id}/repository/commits/${sha}`;

describe('A commit with more files than a list of diffs shows', () => {
  it('has true statistics, in both APIs', async () => {
    const stats = { additions: FILES, deletions: 0, total: FILES };
    expect((await api.get(at(large))).body.stats).toEqual(stats);
    const query = `{ project(ref: ${project.id}) { repository { commit(ref: "${large}") { stats { additions deletions total } } } } }`;
    const { data } = (await world.graphql(query, {}, owner)).body;
    expect(data.project.repository.commit.stats).toEqual(stats);
  });

  it('has a list of diffs that says that it does not go on to the end', async () => {
    const cut = await api.get(`${at(large)}/diff?per_page=1`);
    expect([cut.status, cut.headers['x-total'], cut.headers['x-diff-overflow']]).toEqual([200, '3000', 'true']);
    const whole = await api.get(`${at(small)}/diff?per_page=1`);
    expect([whole.status, whole.headers['x-total'], whole.headers['x-diff-overflow']]).toEqual([200, '3', undefined]);
    const query = (sha: string) =>
      `{ project(ref: ${project.id}) { repository { commit(ref: "${sha}") { fileDiffs(limit: 1) { totalCount overflow } } } } }`;
    const told = async (sha: string) =>
      (await world.graphql(query(sha), {}, owner)).body.data.project.repository.commit.fileDiffs;
    expect(await told(large)).toEqual({ totalCount: 3000, overflow: true });
    expect(await told(small)).toEqual({ totalCount: 3, overflow: false });
  });

  it('is compared, and merged, with the same sign', async () => {
    const compared = await api.get(`/projects/${project.id}/repository/compare?from=main&to=large`);
    expect([compared.body.diffs.length, compared.body.compare_timeout]).toEqual([3000, true]);
    expect((await api.get(`/projects/${project.id}/repository/compare?from=main&to=small`)).body.compare_timeout).toBe(
      false,
    );
    for (const [branch, overflow] of [
      ['large', true],
      ['small', false],
    ] as const) {
      const made = await api.post(`/projects/${project.id}/merge_requests`, {
        ...{ source_branch: branch, target_branch: 'main', title: branch },
      });
      const { body } = await api.get(`/projects/${project.id}/merge_requests/${made.body.iid}/changes`);
      expect([branch, body.overflow]).toEqual([branch, overflow]);
    }
  });
});
