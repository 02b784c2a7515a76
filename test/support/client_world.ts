import { recordedImage } from './container_records.ts';
import type { Json } from './http.ts';
import { opened } from './merge_requests.ts';
import { startWorld, type TestUser, type World } from './world.ts';

/** The jobs of the pipelines of the project. */
const CONFIG = `
stages: [build, test]
compile:
  stage: build
  script: make
unit:
  stage: test
  script: make test
lint:
  stage: test
  script: make lint
  allow_failure: true
`;

/** What a decoy is called: nobody but its owner sees it, so that it appears in no answer of a test. */
export const DECOY = 'decoy';

/**
 * A server with a project in a group as teams have them: issues, tasks, merge requests that were discussed and reviewed, pipelines,
 * snippets, milestones; and beside each of these one that the people of the project do not see. Records are as REST returns them.
 */
export async function startClientWorld() {
  const world = await startWorld();
  const owner = await world.user({ username: 'olivia' });
  const developer = await world.user({ username: 'dev' });
  const reviewer = await world.user({ username: 'rev' });
  const guest = await world.user({ username: 'gus' });
  const outsider = await world.user({ username: 'outsider' });
  // Before all else: no record of the project has its number within the project as its ID.
  const hidden = await hide(world, outsider);
  const group = await world.group({ owner, name: 'Team', path: 'team', description: 'All of us' });
  const inner = await world.group({ owner, name: 'Inner', path: 'inner', parentId: group.id });
  const project = await world.project({
    owner,
    name: 'Garden',
    path: 'garden',
    namespaceId: group.id,
    description: 'Plants',
  });
  const neighbour = await world.project({ owner, name: 'Shed', path: 'shed', namespaceId: inner.id });
  await world.member(project, developer, 'developer');
  await world.member(project, reviewer, 'developer');
  await world.member(project, guest, 'guest');
  const api = world.api(owner);
  const made = maker(world);
  const at = `/projects/${project.id}`;

  await fill(world, owner, project);
  const milestone = await made(owner, `${at}/milestones`, {
    title: 'Spring',
    due_date: '2031-04-01',
    start_date: '2031-03-01',
  });
  const groupMilestone = await made(owner, `/groups/${group.id}/milestones`, { title: 'Year', due_date: '2031-12-31' });
  const innerMilestone = await made(owner, `/projects/${neighbour.id}/milestones`, { title: 'Inside' });
  const label = await made(owner, `${at}/labels`, { name: 'bug', color: '#ff0000', description: 'Broken' });
  const groupLabel = await made(owner, `/groups/${group.id}/labels`, { name: 'team-wide', color: '#00ff00' });

  const parent = await made(developer, `${at}/issues`, {
    title: 'Water the plants',
    description: 'Every morning',
    labels: 'bug,team-wide',
    assignee_ids: [developer.id],
    milestone_id: milestone.id,
    due_date: '2031-03-20',
  });
  const { id: task } = await ownIssue(world, owner, project, {
    title: 'Fill the can',
    type: 'task',
    parentId: parent.id,
  });
  const blocker = await made(owner, `${at}/issues`, { title: 'Repair the tap' });
  await made(owner, `${at}/issues/${blocker.iid}/links`, {
    target_project_id: project.id,
    target_issue_iid: parent.iid,
    link_type: 'blocks',
  });
  const closed = await made(owner, `${at}/issues`, { title: 'Buy a can' });
  await api.put(`${at}/issues/${closed.iid}`, { state_event: 'close' });
  await made(owner, `${at}/issues`, { title: `Confidential ${DECOY}`, confidential: true });
  await made(reviewer, `${at}/issues/${parent.iid}/notes`, { body: 'Is the tap open?' });
  await made(owner, `${at}/issues/${parent.iid}/notes`, { body: 'Only for us', internal: true });
  await made(developer, `${at}/issues/${parent.iid}/add_spent_time`, { duration: '2h', summary: 'Dug' });
  await api.post(`${at}/issues/${parent.iid}/time_estimate`, { duration: '1d' });
  await made(reviewer, `${at}/issues/${parent.iid}/award_emoji`, { name: 'thumbsup' });

  const review = await reviewed(world, {
    project,
    owner,
    developer,
    reviewer,
    labels: ['bug'],
    milestoneId: milestone.id,
  });
  const snippet = await made(developer, `${at}/snippets`, {
    title: 'Seeds',
    description: 'What to sow',
    visibility: 'private',
    files: [
      { file_path: 'seeds.txt', content: 'beans\n' },
      { file_path: 'tools.txt', content: 'spade\n' },
    ],
  });
  await recordedImage(world, project, { name: 'pots', tags: ['v1', 'v2'] });
  await world.idle();
  await settle(world, project.id);
  return {
    world,
    owner,
    developer,
    reviewer,
    guest,
    outsider,
    group,
    inner,
    project,
    neighbour,
    hidden,
    milestone,
    groupMilestone,
    innerMilestone,
    label,
    groupLabel,
    snippet,
    parent: (await api.get(`${at}/issues/${parent.iid}`)).body,
    task: await world.db.issue.findUniqueOrThrow({ where: { id: task } }),
    blocker,
    closed,
    ...review,
    /** REST, as the owner, below the project. */
    rest: async (path: string, who = owner): Promise<Json> => (await world.api(who).get(`${at}${path}`)).body,
  };
}

export type ClientWorld = Awaited<ReturnType<typeof startClientWorld>>;

/** Creates records by REST. */
function maker(world: World) {
  return async (who: TestUser, path: string, body: Json): Promise<Json> => {
    const answer = await world.api(who).post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

const PROJECT_ISSUE = `mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { databaseId } } }`;

/** An issue with values that REST has no parameters for. */
async function ownIssue(world: World, who: TestUser, project: { id: number }, { parentId, type, title }: Json) {
  const input = { project: String(project.id), title, type: type.toUpperCase(), parentId: String(parentId) };
  const { body } = await world.graphql(PROJECT_ISSUE, { input }, who);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return { id: body.data.createIssue.issue.databaseId };
}

async function fill(world: World, owner: TestUser, project: { id: number }) {
  const commit = async (
    branch: string,
    start: string | undefined,
    message: string,
    files: Record<string, [string, string]>,
  ) => {
    const actions = Object.entries(files).map(([file_path, [action, content]]) => ({ action, file_path, content }));
    const body = { branch, start_branch: start, commit_message: message, actions };
    await maker(world)(owner, `/projects/${project.id}/repository/commits`, body);
  };
  await commit('master', undefined, 'Plant\n\nThe first bed', {
    '.gitlab-ci.yml': ['create', CONFIG],
    'README.md': ['create', '# Garden\n'],
    'posts/one.md': ['create', 'one\n'],
    'posts/two.md': ['create', 'two\n'],
    'beds.txt': ['create', 'beans\npeas\n'],
  });
  await commit('topic', 'master', 'Sow carrots', {
    'beds.txt': ['update', 'beans\ncarrots\n'],
    'tools.txt': ['create', 'hoe\n'],
  });
  await commit('feature/roses', 'master', 'Add roses', { 'roses.txt': ['create', 'red\n'] });
  await commit('feature/tulips', 'master', 'Add tulips', { 'tulips.txt': ['create', 'pink\n'] });
}

interface Reviewed {
  project: { id: number };
  owner: TestUser;
  developer: TestUser;
  reviewer: TestUser;
  labels: string[];
  milestoneId: number;
}

/** Merge requests: one that is discussed and approved, one that was closed as a draft, one that was merged. */
async function reviewed(world: World, { project, owner, developer, reviewer, labels, milestoneId }: Reviewed) {
  const made = maker(world);
  const at = `/projects/${project.id}/merge_requests`;
  const assigneeIds = [owner.id];
  const values = {
    title: 'Carrots',
    description: 'Closes #1',
    labels,
    milestoneId,
    assigneeIds,
    reviewerIds: [reviewer.id],
  };
  await opened(world, project, developer, values);
  await opened(world, project, developer, { title: 'Draft: Roses', sourceBranch: 'feature/roses' });
  await opened(world, project, owner, { title: 'Tulips', sourceBranch: 'feature/tulips' });
  await world.idle();
  await world.api(owner).put(`${at}/2`, { state_event: 'close' });
  await world.api(owner).put(`${at}/3/merge`, {});
  const { diff_refs: refs } = (await world.api(owner).get(`${at}/1`)).body;
  const position = { position_type: 'text', ...refs, old_path: 'beds.txt', new_path: 'beds.txt', new_line: 2 };
  const onLine = await made(reviewer, `${at}/1/discussions`, { body: 'Why carrots?', position });
  await made(developer, `${at}/1/discussions/${onLine.id}/notes`, { body: 'They grow fast' });
  const thread = await made(reviewer, `${at}/1/discussions`, { body: 'Looks *good*' });
  await made(developer, `${at}/1/notes`, { body: 'Thanks' });
  await world.api(reviewer).put(`${at}/1/discussions/${thread.id}`, { resolved: true });
  await made(reviewer, `${at}/1/approve`, {});
  await made(owner, `${at}/1/notes/${onLine.notes[0].id}/award_emoji`, { name: 'seedling' });
  return { onLine, thread };
}

/** A project with all of it that only the outsider sees. */
async function hide(world: World, outsider: TestUser) {
  const made = maker(world);
  const group = await world.group({ owner: outsider, name: DECOY, path: DECOY });
  const project = await world.project({ owner: outsider, name: DECOY, path: DECOY, namespaceId: group.id });
  const at = `/projects/${project.id}`;
  await fill(world, outsider, project);
  await made(outsider, `${at}/labels`, { name: DECOY, color: '#000000' });
  await made(outsider, `${at}/milestones`, { title: DECOY });
  const issue = await made(outsider, `${at}/issues`, { title: DECOY });
  const merge = await opened(world, project, outsider, { title: DECOY });
  const snippet = await made(outsider, `${at}/snippets`, {
    title: DECOY,
    visibility: 'private',
    files: [{ file_path: DECOY, content: DECOY }],
  });
  return { group, project, issue, merge, snippet };
}

/** Ends the pipelines: `lint` fails, which it may, all else succeeds. */
async function settle(world: World, projectId: number) {
  const times = { startedAt: new Date('2031-01-02T03:04:05Z'), finishedAt: new Date('2031-01-02T03:05:07Z') };
  const of = { projectId };
  await world.db.job.updateMany({ where: of, data: { status: 'success', ...times } });
  await world.db.job.updateMany({
    where: { ...of, name: 'lint' },
    data: { status: 'failed', failureReason: 'script_failure' },
  });
  await world.db.pipeline.updateMany({ where: of, data: { status: 'success', ...times, duration: 62 } });
}
