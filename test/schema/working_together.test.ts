import { expect, it } from 'vitest';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const contributor = await world.user();

/** What an operation gives; it must have no errors. */
async function ask(who: TestUser, query: string, variables: object = {}) {
  const { body } = await world.graphql(query, { ...variables }, who);
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** The answer of a mutation, by its name and the selection of its payload. */
async function change(who: TestUser, name: string, input: object, selection: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const data = await ask(who, `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, { input });
  return data[name];
}

it('GraphQL alone takes a change from a fork to the default branch, with all that people say on the way', async () => {
  const name = world.unique('story');
  const { project } = await change(owner, 'createProject', { name, visibility: 'PUBLIC' }, 'project { id fullPath }');
  const ref: string = project.fullPath;
  const commitFile = (who: TestUser, to: string, branch: string, content: string, message: string) => {
    const actions = [{ action: content === 'Hello\n' ? 'CREATE' : 'UPDATE', filePath: 'hello.txt', content }];
    return change(who, 'createCommit', { project: to, branch, message, actions }, 'commit { sha }');
  };
  await commitFile(owner, ref, 'master', 'Hello\n', 'Say hello');
  await change(owner, 'createLabel', { project: ref, title: 'bug', color: '#d9534f' }, 'label { title }');
  const { issue } = await change(owner, 'createIssue', { project: ref, title: 'Whom do we greet?' }, 'issue { iid }');

  const forked = await change(contributor, 'forkProject', { project: ref }, 'project { fullPath }');
  const fork: string = forked.project.fullPath;
  await world.idle();
  await change(contributor, 'createBranch', { project: fork, name: 'greet', ref: 'master' }, 'branch { name }');
  const { commit } = await commitFile(contributor, fork, 'greet', 'Hello, world\n', 'Greet the world');

  const opened = await change(
    contributor,
    'createMergeRequest',
    {
      ...{ project: fork, targetProject: ref, sourceBranch: 'greet', targetBranch: 'master' },
      title: 'Greet the world',
      description: `Closes #${issue.iid}. What do you say, @${owner.username}?`,
    },
    'mergeRequest { id iid sha sourceProject { fullPath } closesIssues { nodes { iid } } }',
  );
  const { mergeRequest } = opened;
  expect(mergeRequest).toMatchObject({
    sha: commit.sha,
    sourceProject: { fullPath: fork },
    closesIssues: { nodes: [{ iid: issue.iid }] },
  });
  const which = { project: ref, iid: mergeRequest.iid };

  const mentioned = (await ask(owner, '{ todos { nodes { id action mergeRequest { iid } } } }')).todos;
  expect(mentioned.nodes).toMatchObject([
    { action: expect.stringMatching(/ADDRESSED|MENTIONED/), mergeRequest: { iid: 1 } },
  ]);

  const read = 'query ($id: ID!) { node(id: $id) { ... on MergeRequest {';
  const reading = await ask(
    owner,
    `${read} versions { nodes { baseCommitSha startCommitSha headCommitSha } } changes { newPath } } } }`,
    { id: mergeRequest.id },
  );
  const [version] = reading.node.versions.nodes;
  expect(reading.node.changes).toEqual([{ newPath: 'hello.txt' }]);
  const position = {
    baseSha: version.baseCommitSha,
    startSha: version.startCommitSha,
    headSha: version.headCommitSha,
    ...{ newPath: 'hello.txt', newLine: 1 },
  };
  const { note } = await change(
    owner,
    'createNote',
    { on: { id: mergeRequest.id }, body: 'An exclamation mark?', position },
    'note { discussionId }',
  );
  await commitFile(contributor, fork, 'greet', 'Hello, world!\n', 'Be glad of it');
  await world.idle();
  const answer = { on: { id: mergeRequest.id }, body: 'There it is', discussionId: note.discussionId };
  await change(contributor, 'createNote', answer, 'note { id }');
  const resolved = await change(
    owner,
    'resolveDiscussion',
    { id: note.discussionId },
    'discussion { resolved outdated notes { totalCount } }',
  );
  expect(resolved.discussion).toMatchObject({ resolved: true, outdated: true, notes: { totalCount: 2 } });

  await change(owner, 'updateMergeRequest', { ...which, labels: ['bug'] }, 'mergeRequest { iid }');
  await change(owner, 'giveAward', { on: { id: mergeRequest.id }, name: 'thumbsup' }, 'award { name }');
  const head = (await ask(owner, `${read} sha } } }`, { id: mergeRequest.id })).node.sha;
  const status = { project: fork, sha: head, ref: 'greet', name: 'check' };
  await change(contributor, 'postCommitStatus', { ...status, state: 'RUNNING' }, 'status { status }');
  const waiting = await change(
    owner,
    'acceptMergeRequest',
    { ...which, sha: head, mergeWhenPipelineSucceeds: true },
    'mergeRequest { state mergeWhenPipelineSucceeds }',
  );
  expect(waiting.mergeRequest).toEqual({ state: 'OPENED', mergeWhenPipelineSucceeds: true });
  await change(contributor, 'postCommitStatus', { ...status, state: 'SUCCESS' }, 'status { status }');
  await world.idle();

  const end = await ask(
    owner,
    `query ($ref: ProjectRef!, $iid: Int!, $issue: Int!) { project(ref: $ref) {
      mergeRequest(iid: $iid) { state upvotes labelTitles userNotesCount commits { totalCount } }
      issue(iid: $issue) { state }
      repository { file(path: "hello.txt", ref: "master") { content } } } }`,
    { ref, iid: mergeRequest.iid, issue: issue.iid },
  );
  expect(end.project).toEqual({
    mergeRequest: {
      state: 'MERGED',
      upvotes: 1,
      labelTitles: ['bug'],
      userNotesCount: 2,
      commits: { totalCount: 2 },
    },
    issue: { state: 'CLOSED' },
    repository: { file: { content: Buffer.from('Hello, world!\n').toString('base64') } },
  });
  await change(owner, 'markTodoDone', { id: mentioned.nodes[0].id }, 'todo { state }');
  expect((await ask(owner, '{ todos { totalCount } }')).todos.totalCount).toBe(0);
});
