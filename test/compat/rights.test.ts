import { beforeAll, describe, expect, it } from 'vitest';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { compatOf } from '../support/compat.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { type LEVELS, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const VISIBILITIES = ['private', 'internal', 'public'] as const;
const ROLES = ['guest', 'reporter', 'developer', 'master'] as const;
const stranger = await world.user();
const admin = await world.user({ admin: true });
const members = Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, await world.user()] as const)));
const VIEWERS: Readonly<Record<string, TestUser | null>> = {
  visitor: null,
  stranger,
  ...members,
  administrator: admin,
};

/** A text that stands in everything of a project, by which it would be known wherever it leaks. */
const marked = (visibility: string) => `Marked ${visibility} text`;

type Visibility = (typeof VISIBILITIES)[number];
interface Filled {
  path: string;
  id: number;
  iids: { open: number; secret: number; merge: number };
  snippet: number;
  issue: number;
  mergeId: number;
}
const filled = new Map<Visibility, Filled>();

beforeAll(async () => {
  // Otherwise REST shows visitors nothing.
  await world.api(admin).put('/application/settings', { anonymous_api_reads: true });
  for (const visibility of VISIBILITIES) {
    const text = marked(visibility);
    const project = await world.project({
      owner,
      visibility,
      name: `${text} p`,
      path: `p-${visibility}`,
      description: text,
    });
    for (const role of ROLES) {
      await world.member(project, members[role] as TestUser, role as keyof typeof LEVELS);
    }
    await withTopic(world, project, owner);
    const merge = await opened(world, project, owner, { title: text, description: text });
    const open = await world.issue(project, owner, { title: text, description: text });
    const secret = await world.issue(project, owner, { title: `${text} confidential`, confidential: true });
    await world.label(project, owner, `${text} label`);
    await world.milestone(project, owner, { title: `${text} milestone` });
    const snippet = await createSnippet(world.as(owner), {
      project: project.id,
      title: `${text} snippet`,
      fileName: 'a.txt',
      content: text,
      visibility: 'private',
    } as never);
    filled.set(visibility, {
      path: project.fullPath,
      id: project.id,
      iids: { open: open.iid, secret: secret.iid, merge: merge.iid },
      snippet: (snippet as { id: number }).id,
      issue: secret.id,
      mergeId: merge.id,
    });
  }
});

/** What is asked for here, and where REST shows the same: there, the rights are tried role by role (test/access). */
const PROBES: Readonly<Record<string, { query: (of: Filled) => string; rest: (of: Filled) => string }>> = {
  project: { query: ({ path }) => `project(fullPath: "${path}") { name }`, rest: ({ id }) => `/projects/${id}` },
  namespace: {
    query: ({ path }) => `namespace(fullPath: "${path}") { fullName }`,
    rest: ({ id }) => `/projects/${id}`,
  },
  commit: {
    query: ({ path }) => `project(fullPath: "${path}") { repository { commit(ref: "topic") { title } } }`,
    rest: ({ id }) => `/projects/${id}/repository/commits/topic`,
  },
  file: {
    query: ({ path }) => `project(fullPath: "${path}") { repository { tree { lastCommit { title } } } }`,
    rest: ({ id }) => `/projects/${id}/repository/tree`,
  },
  issue: {
    query: ({ path, iids }) => `project(fullPath: "${path}") { issue(iid: "${iids.open}") { title } }`,
    rest: ({ id, iids }) => `/projects/${id}/issues/${iids.open}`,
  },
  'confidential issue': {
    query: ({ path, iids }) => `project(fullPath: "${path}") { issue(iid: "${iids.secret}") { title } }`,
    rest: ({ id, iids }) => `/projects/${id}/issues/${iids.secret}`,
  },
  'confidential issue by its ID': {
    query: ({ issue }) => `issue(id: "gid://gitlab/Issue/${issue}") { title }`,
    rest: ({ id, iids }) => `/projects/${id}/issues/${iids.secret}`,
  },
  'confidential work item': {
    query: ({ path, iids }) => `namespace(fullPath: "${path}") { workItem(iid: "${iids.secret}") { title } }`,
    rest: ({ id, iids }) => `/projects/${id}/issues/${iids.secret}`,
  },
  'merge request': {
    query: ({ path, iids }) => `project(fullPath: "${path}") { mergeRequest(iid: "${iids.merge}") { title } }`,
    rest: ({ id, iids }) => `/projects/${id}/merge_requests/${iids.merge}`,
  },
  'merge request by its ID': {
    query: ({ mergeId }) => `mergeRequest(id: "gid://gitlab/MergeRequest/${mergeId}") { title }`,
    rest: ({ id, iids }) => `/projects/${id}/merge_requests/${iids.merge}`,
  },
  snippet: {
    query: ({ snippet }) => `snippets(ids: ["gid://gitlab/ProjectSnippet/${snippet}"]) { nodes { title } }`,
    rest: ({ id, snippet }) => `/projects/${id}/snippets/${snippet}`,
  },
};

describe.each(VISIBILITIES)('In a project that is %s', (visibility) => {
  const of = () => filled.get(visibility) as Filled;

  it.each(Object.keys(VIEWERS))('%s sees what REST shows them', async (viewer) => {
    const user = VIEWERS[viewer] ?? null;
    const rows = await Promise.all(
      Object.entries(PROBES).map(async ([name, { query, rest }]) => {
        const [{ body }, { status }] = await Promise.all([
          ask(`{ ${query(of())} }`, {}, user),
          world.api(user ?? undefined).get(rest(of())),
        ]);
        const isShown = /Marked|Change b|First/.test(JSON.stringify(body.data));
        return { name, shown: isShown, errors: body.errors, rest: status === 200 };
      }),
    );
    expect(rows.filter(({ errors }) => errors !== undefined)).toEqual([]);
    expect(rows.filter(({ shown, rest }) => shown !== rest)).toEqual([]);
    const seesAll = ['reporter', 'developer', 'master', 'administrator'].includes(viewer);
    // A private snippet is its author's.
    const ofProject = rows.filter(({ name }) => name !== 'snippet');
    if (seesAll) expect(ofProject.filter(({ shown }) => !shown)).toEqual([]);
  });
});

describe('What a document collects from everywhere', () => {
  const issueFields =
    'title description author { username } labels { nodes { title } } milestone { title } notes { nodes { body } } discussions { nodes { notes { nodes { body } } } } relatedMergeRequests { nodes { title } } participants { nodes { name } }';
  const mergeFields =
    'title description project { name description } sourceProject { name } labels { nodes { title } } discussions { nodes { notes { nodes { body } } } } commits { nodes { title author { username } } } diffStats { path }';
  const projectFields = `name description namespace { fullPath } issues { count nodes { ${issueFields} } } workItems { nodes { title features { labels { labels { nodes { title } } } hierarchy { parent { title } } } } } mergeRequests { count nodes { ${mergeFields} } } labels { nodes { title } } milestones { nodes { title } } snippets { nodes { title blobs { nodes { rawPlainData } } } } repository { rootRef tree { blobs { nodes { name } } } }`;
  const documents = [
    `{ projects { nodes { ${projectFields} } } }`,
    `query ($a: ID!, $b: ID!, $c: ID!) { a: project(fullPath: $a) { ${projectFields} } }`,
    '{ users { nodes { username authoredMergeRequests { count nodes { title project { name } } } assignedMergeRequests { nodes { title } } } } }',
    '{ groups { nodes { fullPath projects { nodes { name } } mergeRequests { nodes { title } } } } }',
  ];

  it.each(Object.keys(VIEWERS))('shows %s nothing of projects that are not theirs to see', async (viewer) => {
    const user = VIEWERS[viewer] ?? null;
    const [a, b, c] = VISIBILITIES.map((one) => filled.get(one)?.path);
    const texts = await Promise.all(
      documents.map(async (query) =>
        JSON.stringify((await ask(query, query.includes('$a') ? { a, b, c } : {}, user)).body),
      ),
    );
    const all = texts.join('\n');
    const sees = (visibility: Visibility) => all.includes(marked(visibility));
    expect(sees('public')).toBe(true);
    expect(sees('internal')).toBe(viewer !== 'visitor');
    expect(sees('private')).toBe(!['visitor', 'stranger'].includes(viewer));
    expect(all.includes('confidential')).toBe(['reporter', 'developer', 'master', 'administrator'].includes(viewer));
    expect(all).not.toContain('@example.org');
  });
});
