import { describe, expect, it } from 'vitest';
import { readVariables } from '#rest/engine/variables.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });

/** Routes that write something others read, and what of `internal` and `confidential` each knows. */
const writes = [...ENDPOINTS].filter(([, { route }]) => !['GET', 'DELETE'].includes(route.method));

function knownBy(endpoint: (typeof writes)[number][1]): string[] {
  const names = [...endpoint.parameters.map(({ name }) => name), ...Object.keys(endpoint.route.synonyms ?? {})];
  return ['internal', 'confidential'].filter((name) => names.includes(name));
}

describe('What is asked to be kept from others', () => {
  it('is refused, not published, by every route that cannot keep it', () => {
    for (const [name, endpoint] of writes) {
      const problems: string[] = [];
      readVariables(endpoint, new Map(), { internal: 'true', confidential: true }, problems);
      const refused = problems.filter((problem) => problem.endsWith('is not supported here'));
      const unknown = ['internal', 'confidential'].filter((parameter) => !knownBy(endpoint).includes(parameter));
      expect([name, refused]).toEqual([name, unknown.map((parameter) => `${parameter} is not supported here`)]);
    }
  });

  it('is known for issues, and for notes on issues and merge requests', () => {
    const known = writes.filter(([, endpoint]) => knownBy(endpoint).length > 0).map(([name]) => name);
    expect(known.sort()).toEqual([
      'POST /applications',
      'POST /projects/:id/issues',
      'POST /projects/:id/issues/:issue_iid/notes',
      'POST /projects/:id/merge_requests/:merge_request_iid/notes',
      'PUT /projects/:id/issues/:issue_iid',
    ]);
  });

  it('is answered by 400 with the name of the parameter, and nothing is written', async () => {
    const api = world.api(owner);
    const at = `/projects/${project.id}`;
    const issue = await world.issue(project, owner);
    const values = { title: 'Text', file_name: 'a.txt', code: 'text', visibility: 'public' };
    const { body: snippet } = await api.post(`${at}/snippets`, values);
    for (const [path, name] of [
      [`${at}/snippets/${snippet.id}/notes`, 'internal'],
      [`${at}/issues/${issue.iid}/discussions`, 'confidential'],
    ]) {
      const answer = await api.post(path ?? '', { body: 'Between us', [name ?? '']: true });
      expect(answer).toMatchObject({ status: 400, body: { error: `${name} is not supported here` } });
    }
    // Who asks for nothing is heard.
    expect((await api.post(`${at}/snippets/${snippet.id}/notes`, { body: 'To all', internal: false })).status).toBe(
      201,
    );
    expect(await world.db.note.findMany({ select: { body: true } })).toEqual([{ body: 'To all' }]);
  });
});
