// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import type { Json } from '../support/http.ts';

const { world, owner, filled } = await startCommittingWorld();
const api = world.api(owner);
const file = (path: string, content = `${path}\n`) => ({ action: 'create', file_path: path, content });

/** All pages of a list by its links, and the address of each link. */
async function walk(path: string) {
  const pages: Json[][] = [];
  const links: URLSearchParams[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, headers, body }: Awaited<ReturnType<typeof api.get>> = await api.get(next);
    expect(status).toBe(200);
    expect([headers['x-page'], headers['x-next-page']]).toEqual([undefined, undefined]);
    pages.push(body);
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? '')) ?? [];
    next = link?.slice(link.indexOf('/api/v4') + '/api/v4'.length);
    if (link) links.push(new URL(link).searchParams);
  }
  return { pages, links };
}

describe('pagination=keyset', () => {
  it('walks trees by the hash of the last entry, also where files are equal', async () => {
    const same = Array.from({ length: 7 }, (_, at) => file(`same${at}.txt`, 'same\n'));
    const { at } = await filled([...same, file('zoo/a.txt'), file('zoo/b.txt')]);
    const whole = (await api.get(`${at}/tree?recursive=true&per_page=100`)).body;
    const { pages, links } = await walk(`${at}/tree?recursive=true&pagination=keyset&per_page=2&page=9`);
    expect(pages.flat()).toEqual(whole);
    expect(pages.length).toBe(5);
    expect(links.map((link) => link.get('page_token'))).toEqual(pages.slice(0, -1).map((page) => page.at(-1)?.id));
    const { body } = await api.get(`${at}/tree?recursive=true&pagination=keyset&page_token=${whole[0].id}&per_page=3`);
    expect(body).toEqual(whole.slice(1, 4));
    const unknown = await api.get(`${at}/tree?pagination=keyset&page_token=${'0'.repeat(40)}`);
    expect([unknown.status, unknown.body]).toEqual([400, { message: 'page_token is invalid' }]);
  });

  it('walks branches and tags by the name of the last one, which may be gone by then, with the filters of the list', async () => {
    const { at } = await filled([file('a.txt')]);
    for (const name of ['a', 'b', 'c', 'decoy', 'e']) {
      await api.post(`${at}/branches`, { branch: `${name}-x`, ref: 'master' });
      await api.post(`${at}/tags`, { tag_name: `${name}-x`, ref: 'master' });
    }
    const branches = await walk(`${at}/branches?search=-x&pagination=keyset&per_page=2`);
    expect(branches.pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['a-x', 'b-x'],
      ['c-x', 'decoy-x'],
      ['e-x'],
    ]);
    expect(branches.links.map((link) => link.get('page_token'))).toEqual(['b-x', 'decoy-x']);
    const tags = await walk(`${at}/tags?order_by=name&sort=asc&pagination=keyset&per_page=3`);
    expect(tags.pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['a-x', 'b-x', 'c-x'],
      ['decoy-x', 'e-x'],
    ]);
    await api.delete(`${at}/branches/b-x`);
    const { body, headers } = await api.get(`${at}/branches?pagination=keyset&page_token=b-x&per_page=1`);
    expect([body.map(({ name }: Json) => name), headers['x-per-page']]).toEqual([['c-x'], '1']);
  });

  it('walks the jobs of a project and of a pipeline by a cursor that the link has', async () => {
    const { project } = await filled([file('a.txt')]);
    const place = { projectId: project.id, userId: owner.id };
    const on = { ref: 'master', sha: '1'.repeat(40) };
    const pipeline = await world.db.pipeline.create({ data: { ...place, ...on, iid: 1, source: 'api' } });
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) {
      await world.db.job.create({ data: { ...place, pipelineId: pipeline.id, name, stage: 'test', stageIndex: 0 } });
    }
    const named = (pages: Json[][]) => pages.map((page) => page.map(({ name }) => name));
    const project_jobs = await walk(`/projects/${project.id}/jobs?order_by=id&pagination=keyset&per_page=2`);
    expect(named(project_jobs.pages)).toEqual([['five', 'four'], ['three', 'two'], ['one']]);
    const at = `/projects/${project.id}/pipelines/${pipeline.id}/jobs`;
    const own = await walk(`${at}?pagination=keyset&per_page=3`);
    expect(named(own.pages)).toEqual([
      ['one', 'two', 'three'],
      ['four', 'five'],
    ]);
    const odd = await api.get(`${at}?pagination=keyset&cursor=nonsense`);
    expect([odd.status, JSON.stringify(odd.body)]).toEqual([
      400,
      expect.stringContaining('is not a cursor of this list'),
    ]);
  });

  it('is for those who ask for it: otherwise lists have their seven headers as ever', async () => {
    const { at } = await filled([file('a.txt'), file('b.txt')]);
    for (const query of ['', '&pagination=offset', '&page_token=x']) {
      const { headers, body } = await api.get(`${at}/tree?per_page=1&page=2${query}`);
      expect([headers['x-page'], headers['x-total'], headers['x-prev-page'], body[0].name]).toEqual([
        '2',
        '2',
        '1',
        'b.txt',
      ]);
    }
  });
});
