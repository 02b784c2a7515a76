// One part in depth, which the long run has.
// @module-tag long
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

const READ = 'query ($id: ID!) { node(id: $id) { ... on MergeRequest {';

/** A public project of the owner, by its path, that says hello, has a label, and an issue about it. */
async function projectWithIssue(): Promise<{ ref: string; issue: number }> {
  const name = world.unique('story');
  const { project } = await change(owner, 'createProject', { name, visibility: 'PUBLIC' }, 'project { fullPath }');
  const ref: string = project.fullPath;
  await commitFile(owner, ref, 'master', 'Hello\n', 'Say hello');
  await change(owner, 'createLabel', { project: ref, title: 'bug', color: '#d9534f' }, 'label { title }');
  const { issue } = await change(owner, 'createIssue', { project: ref, title: 'Whom do we greet?' }, 'issue { iid }');
  return { ref, issue: issue.iid };
}

async function commitFile(
  who: TestUser,
  project: string,
  branch: string,
  content: string,
  message: string,
): Promise<string> {
  const actions = [{ action: content === 'Hello\n' ? 'CREATE' : 'UPDATE', filePath: 'hello.txt', content }];
  return (await change(who, 'createCommit', { project, branch, message, actions }, 'commit { sha }')).commit.sha;
}

/** The contributor's fork of a project, by its path, with a commit on a branch of its own. */
async function forkWithChange(ref: string): Promise<{ fork: string; sha: string }> {
  const forked = await change(contributor, 'forkProject', { project: ref }, 'project { fullPath }');
  const fork: string = forked.project.fullPath;
  await world.idle();
  await change(contributor, 'createBranch', { project: fork, name: 'greet', ref: 'master' }, 'branch { name }');
  return { fork, sha: await commitFile(contributor, fork, 'greet', 'Hello, world\n', 'Greet the world') };
}

/** The contributor asks for the merge of that branch, closes the issue with it, and the owner is asked. */
async function openMergeRequest(
  fork: string,
  ref: string,
  issue: number,
): Promise<{ id: string; iid: number; sha: string }> {
  const { mergeRequest } = await change(
    contributor,
    'createMergeRequest',
    {
      ...{ project: fork, targetProject: ref, sourceBranch: 'greet', targetBranch: 'master' },
      title: 'Greet the world',
      description: `Closes #${issue}. What do you say, @${owner.username}?`,
    },
    'mergeRequest { id iid sha sourceProject { fullPath } closesIssues { nodes { iid } } }',
  );
  expect(mergeRequest).toMatchObject({
    sourceProject: { fullPath: fork },
    closesIssues: { nodes: [{ iid: issue }] },
  });
  return mergeRequest;
}

/** The one thing that the owner has to do: to look at the merge request. Its ID. */
async function todoOf(iid: number): Promise<string> {
  const { todos } = await ask(owner, '{ todos { nodes { id action mergeRequest { iid } } } }');
  expect(todos.nodes).toMatchObject([{ action: expect.stringMatching(/ADDRESSED|MENTIONED/), mergeRequest: { iid } }]);
  return todos.nodes[0].id;
}

/** The owner comments on a line of what was changed; the thread that begins with it. */
async function review(id: string): Promise<string> {
  const { node } = await ask(
    owner,
    `${READ} versions { nodes { baseCommitSha startCommitSha headCommitSha } } changes { newPath } } } }`,
    { id },
  );
  const [version] = node.versions.nodes;
  expect(node.changes).toEqual([{ newPath: 'hello.txt' }]);
  const position = {
    baseSha: version.baseCommitSha,
    startSha: version.startCommitSha,
    headSha: version.headCommitSha,
    ...{ newPath: 'hello.txt', newLine: 1 },
  };
  const written = { on: { id }, body: 'An exclamation mark?', position };
  return (await change(owner, 'createNote', written, 'note { discussionId }')).note.discussionId;
}

/** The contributor does what the thread asks for and says so; the owner resolves it. */
async function answerReview(fork: string, id: string, discussionId: string): Promise<void> {
  await commitFile(contributor, fork, 'greet', 'Hello, world!\n', 'Be glad of it');
  await world.idle();
  await change(contributor, 'createNote', { on: { id }, body: 'There it is', discussionId }, 'note { id }');
  const resolved = await change(
    owner,
    'resolveDiscussion',
    { id: discussionId },
    'discussion { resolved outdated notes { totalCount } }',
  );
  expect(resolved.discussion).toMatchObject({ resolved: true, outdated: true, notes: { totalCount: 2 } });
}

/** The owner labels and likes it, and has it merged once a status of the fork has succeeded. */
async function mergeWhenChecked(fork: string, which: { project: string; iid: number }, id: string): Promise<void> {
  await change(owner, 'updateMergeRequest', { ...which, labels: ['bug'] }, 'mergeRequest { iid }');
  await change(owner, 'giveAward', { on: { id }, name: 'thumbsup' }, 'award { name }');
  const { sha } = (await ask(owner, `${READ} sha } } }`, { id })).node;
  const status = { project: fork, sha, ref: 'greet', name: 'check' };
  await change(contributor, 'postCommitStatus', { ...status, state: 'RUNNING' }, 'status { status }');
  const waiting = await change(
    owner,
    'acceptMergeRequest',
    { ...which, sha, mergeWhenPipelineSucceeds: true },
    'mergeRequest { state mergeWhenPipelineSucceeds }',
  );
  expect(waiting.mergeRequest).toEqual({ state: 'OPENED', mergeWhenPipelineSucceeds: true });
  await change(contributor, 'postCommitStatus', { ...status, state: 'SUCCESS' }, 'status { status }');
  await world.idle();
}

it('GraphQL alone takes a change from a fork to the default branch, with all that people say on the way', async () => {
  const { ref, issue } = await projectWithIssue();
  const { fork, sha } = await forkWithChange(ref);
  const mergeRequest = await openMergeRequest(fork, ref, issue);
  expect(mergeRequest).toMatchObject({ iid: 1, sha });
  const todo = await todoOf(mergeRequest.iid);
  await answerReview(fork, mergeRequest.id, await review(mergeRequest.id));
  await mergeWhenChecked(fork, { project: ref, iid: mergeRequest.iid }, mergeRequest.id);

  const end = await ask(
    owner,
    `query ($ref: ProjectRef!, $iid: Int!, $issue: Int!) { project(ref: $ref) {
      mergeRequest(iid: $iid) { state upvotes labelTitles userNotesCount commits { totalCount } }
      issue(iid: $issue) { state }
      repository { file(path: "hello.txt", ref: "master") { content } } } }`,
    { ref, iid: mergeRequest.iid, issue },
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
  await change(owner, 'markTodoDone', { id: todo }, 'todo { state }');
  expect((await ask(owner, '{ todos { totalCount } }')).todos.totalCount).toBe(0);
});
