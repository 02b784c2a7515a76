import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createScheduleVariable } from '#src/domain/ci/schedules/variables.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { createIssueLink } from '#src/domain/tracking/issue_links/save.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { pipelineOf, projectWithCommit } from '../support/ci.ts';
import { recordedImage } from '../support/container_records.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';
import { endpoints } from './matrix.ts';

const world = await startWorld({ pagesHost: 'pages.example.test' });
const victim = await world.user();
const attacker = await world.user();
const { project: hidden, sha } = await projectWithCommit(world, victim, { visibility: 'private' });
const own = await world.project({ owner: attacker, visibility: 'public' });
const { id: pipeline } = await pipelineOf(world, victim, hidden, 'zqsecret');
const inHidden = { where: { projectId: hidden.id } };
await world.db.job.updateMany({ ...inHidden, data: { status: 'manual' } });
const snippet = await createSnippet(world.as(victim), {
  project: hidden.id,
  title: 'zqsecret',
  fileName: 'zqsecret',
  content: 'zqsecret',
  visibility: 'public',
});
const milestone = await world.milestone(hidden, victim, { title: 'zqsecret' });

const label = await world.label(hidden, victim, 'zqsecret');
const issue = await world.issue(hidden, victim, { title: 'zqsecret' });
const other = await world.issue(hidden, victim, { title: 'zqsecret' });
const request = await world.mergeRequest(hidden, victim, { iid: 1 });
/** The notes on the issue, the merge request and the snippet, and the awards on each of these, by what they are on. */
const talk: Record<string, { id: number; note: number; award: number; awardOnNote: number }> = {};
for (const [type, id] of [
  ['Issue', issue.id],
  ['Snippet', snippet.id],
  ['MergeRequest', request.id],
] as const) {
  const on = { subjectType: type, subjectId: id };
  const note = await world.db.note.create({ data: { ...on, authorId: victim.id, body: 'zqsecret' } });
  const heart = { userId: victim.id, name: 'heart' };
  const award = await world.db.awardEmoji.create({ data: { ...on, ...heart } });
  const awardOnNote = await world.db.awardEmoji.create({ data: { subjectType: 'Note', subjectId: note.id, ...heart } });
  talk[type] = { id, note: note.id, award: award.id, awardOnNote: awardOnNote.id };
}
const comment = await world.db.commitComment.create({
  data: { projectId: hidden.id, sha, authorId: victim.id, note: 'zqsecret' },
});
/** The events of the issue and the merge request, by what they are of. */
const changes: Record<string, Record<string, number>> = {};
for (const [type, on] of Object.entries({
  Issue: { issueId: issue.id },
  MergeRequest: { mergeRequestId: request.id },
})) {
  const data = { ...on, userId: victim.id };
  const labelled = await world.db.labelEvent.create({ data: { ...data, action: 'add', labelId: label.id } });
  const planned = { ...data, action: 'add', state: 'opened', milestoneId: milestone.id } as const;
  changes[type] = {
    resource_label_event_id: labelled.id,
    resource_milestone_event_id: (await world.db.milestoneEvent.create({ data: planned })).id,
    resource_state_event_id: (await world.db.stateEvent.create({ data: { ...data, state: 'closed' } })).id,
  };
}
/** The numbers of what is talked about on the record of a path, and of its events. */
const talkOf = (path: string): Record<string, number | string> => {
  const type = path.includes('/snippets/') ? 'Snippet' : path.includes('/merge_requests/') ? 'MergeRequest' : 'Issue';
  const of = talk[type];
  if (!of) return {};
  const discussion_id = path.includes('/commits/')
    ? threadKey('CommitDiscussion', comment.id)
    : threadKey('Discussion', of.note);
  return {
    note_id: of.note,
    discussion_id,
    award_id: path.includes(':note_id') ? of.awardOnNote : of.award,
    ...changes[type],
  };
};
// What the attacker's own project has of the same, with the same numbers within it.
await world.issue(own, attacker);
await world.mergeRequest(own, attacker, { iid: 1 });

const hook = await world.db.hook.create({ data: { projectId: hidden.id, url: 'http://127.0.0.1:9/' } });
await world.db.hookDelivery.create({
  data: {
    hook: { connect: { id: hook.id } },
    event: { create: { kind: 'push', facts: {}, payload: '{}' } },
    state: 'failed',
  },
});

const release = await world.db.release.create({
  data: {
    ...{ projectId: hidden.id, tag: 'zqsecret', description: 'zqsecret' },
    links: { create: { name: 'zqsecret', url: 'https://example.org/zqsecret' } },
  },
  include: { links: true },
});

const pack = await world.db.package.create({
  data: {
    ...{ projectId: hidden.id, type: 'generic', name: 'zqsecret', version: '1' },
    files: {
      create: {
        ...{ projectId: hidden.id, secret: 'zqsecret', storedAs: 'a', fileName: 'zqsecret', size: 1 },
        ...{ md5: 'zqsecret', sha1: 'zqsecret', sha256: 'zqsecret' },
      },
    },
  },
  include: { files: true },
});

const repository = await recordedImage(world, hidden, { name: 'zqsecret', tags: ['zqsecret'] });

const schedule = await world.db.pipelineSchedule.findFirstOrThrow(inHidden);
await createScheduleVariable(world.as(victim), hidden.id, { id: schedule.id, key: 'zqsecret', value: 'zqsecret' });

const flag = await world.db.featureFlag.create({
  data: {
    ...{ projectId: hidden.id, iid: 1, name: 'zqsecret', description: 'zqsecret' },
    strategies: { create: { name: 'userWithId', parameters: { userIds: 'zqsecret' } } },
  },
});
await world.db.featureFlagUserList.create({
  data: { projectId: hidden.id, iid: 1, name: 'zqsecret', userXids: 'zqsecret' },
});

/** Numbers that count in the whole server, of records in the hidden project. */
const place = { projectId: hidden.id, secret: '0'.repeat(32), fileName: 'zqsecret' };
await world.as(victim).uploads.write(place, Readable.from([Buffer.from('zqsecret')]), 8);
const attached = await world.db.upload.create({ data: { ...place, size: 8 } });
const badge = await world.db.badge.create({
  data: { projectId: hidden.id, linkUrl: 'https://example.org/zqsecret', imageUrl: 'https://example.org/zqsecret' },
});
const ids: Record<string, number> = {
  badge_id: badge.id,
  upload_id: attached.id,
  pipeline_id: pipeline,
  job_id: (await world.db.job.findFirstOrThrow(inHidden)).id,
  environment_id: (await world.db.environment.findFirstOrThrow(inHidden)).id,
  deployment_id: (await world.db.deployment.findFirstOrThrow(inHidden)).id,
  pipeline_schedule_id: schedule.id,
  trigger_id: (await world.db.trigger.findFirstOrThrow(inHidden)).id,
  hook_id: hook.id,
  audit_event_id: (await world.db.auditEvent.findFirstOrThrow(inHidden)).id,
  token_id: (
    await world.db.personalAccessToken.create({
      data: {
        userId: victim.id,
        projectId: hidden.id,
        name: 'zqsecret',
        scopes: ['api'],
        tokenHash: Buffer.from('zqsecret'),
      },
    })
  ).id,
  hook_event_id: (await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: hook.id } })).id,
  snippet_id: snippet.id,
  milestone_id: milestone.id,
  label_id: label.id,
  board_id: (await world.db.board.findFirstOrThrow(inHidden)).id,
  issue_link_id: (
    await createIssueLink(
      world.as(victim),
      { project: hidden.id, iid: issue.iid },
      { project: hidden.id, iid: other.iid },
    )
  ).id,
  draft_note_id: (
    await world.db.draftNote.create({
      data: { mergeRequestId: request.id, authorId: victim.id, body: 'zqsecret' },
    })
  ).id,
  package_id: pack.id,
  repository_id: repository,
  package_file_id: pack.files[0]?.id ?? 0,
  link_id: release.links[0]?.id ?? 0,
  list_id: (await createBoardList(world.as(victim), { project: hidden.id }, null, label.id)).id,
};

/** Parameters of paths that are words. */
const WORDS: Record<string, string> = {
  tag_name: 'zqsecret',
  feature_flag_name: flag.name,
  iid: '1',
  key: 'zqsecret',
  trigger: 'push_events',
  sha,
  commit_id: sha,
  artifact_path: 'app.txt',
};

const deployToken = await world.db.deployToken.create({
  data: {
    ...{ projectId: hidden.id, name: 'zqsecret', username: 'zqsecret', scopes: ['read_repository'] },
    tokenHash: Buffer.from('zqsecret'),
  },
});
const elsewhere = await world.project({ owner: victim });
await world.db.jobTokenProject.create({ data: { projectId: hidden.id, allowedProjectId: elsewhere.id } });
const aGroup = await world.group({ owner: victim });
await world.db.jobTokenGroup.create({ data: { projectId: hidden.id, groupId: aGroup.id } });

const numberOf = (path: string, name: string) =>
  (path.includes('/deploy_tokens/') && name === 'token_id' ? deployToken.id : undefined) ??
  (path.includes('/snippets/') ? { ref: 'main', file_path: 'zqsecret' }[name] : undefined) ??
  talkOf(path)[name] ??
  ids[name] ??
  WORDS[name] ??
  { target_project_id: elsewhere.id, target_group_id: aGroup.id }[name] ??
  (name === 'issue_iid' || name === 'merge_request_iid' ? 1 : undefined);

await storeArtifacts(world, { id: ids.job_id ?? 0, projectId: hidden.id });

/** All that must stay as it is. */
const state = () =>
  Promise.all([
    world.db.pipeline.findMany(inHidden),
    world.db.deployToken.findMany(inHidden),
    world.db.personalAccessToken.findMany(inHidden),
    world.db.jobTokenProject.findMany(inHidden),
    world.db.jobTokenGroup.findMany(inHidden),
    world.db.job.findMany(inHidden),
    world.db.jobArtifacts.findMany(inHidden),
    world.db.environment.findMany(inHidden),
    world.db.deployment.findMany(inHidden),
    world.db.releaseLink.findMany({ where: { releaseId: release.id } }),
    world.db.package.findMany({ where: { projectId: hidden.id }, include: { files: true } }),
    world.db.containerRepository.findMany({ ...inHidden, include: { tags: true } }),
    world.db.featureFlag.findMany({ ...inHidden, include: { strategies: true } }),
    world.db.featureFlagUserList.findMany(inHidden),
    world.db.trigger.findMany(inHidden),
    world.db.pipelineSchedule.findMany({ ...inHidden, include: { variables: true } }),
    world.db.hook.findMany(inHidden),
    world.db.hookDelivery.findMany({ where: { hookId: hook.id } }),
    world.db.snippet.findMany(inHidden),
    world.db.milestone.findMany(inHidden),
    world.db.label.findMany(inHidden),
    world.db.boardList.findMany(inHidden),
    world.db.issueLink.findMany({ where: { sourceId: issue.id } }),
    world.db.note.findMany({ where: { authorId: victim.id } }),
    world.db.commitComment.findMany(inHidden),
    world.db.draftNote.findMany({ where: { authorId: victim.id } }),
    world.db.awardEmoji.findMany({ where: { userId: victim.id } }),
  ]);

// Those of the whole server are refused to everybody but administrators, whatever the number.
const ofServer = (path: string) => path.startsWith('/audit_events/');
const routes = [...endpoints].filter(
  ([, { route }]) =>
    !ofServer(route.path) &&
    [...Object.keys(ids), ...Object.keys(talkOf('')), 'note_id'].some((name) => route.path.includes(`:${name}`)),
);

it('the numbers are those of records that who may see them finds', LONG, async () => {
  expect(routes.length).toBeGreaterThan(20);
  const reads = routes.filter(([, { route }]) => route.method === 'GET' && route.path.startsWith('/projects'));
  for (const [, { route }] of reads) {
    const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
      String(name === 'id' ? hidden.id : numberOf(route.path, name)),
    );
    expect([path, (await world.api(victim).get(path)).status]).toEqual([path, 200]);
  }
});

itEveryNth(5, routes)('%s finds nothing of another project by its number', async (_, { route, parameters }) => {
  const before = await state();
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  const path = route.path.replace(/:(\w+)/g, (__, name: string) =>
    String(name === 'id' ? own.id : (numberOf(route.path, name) ?? name)),
  );
  const given: Record<string, unknown> = {};
  for (const { name, type } of parameters) {
    if (String(type).startsWith('String')) given[name] = 'changed';
    else if (/^(Int|ID)!$/.test(String(type))) given[name] = 1;
    else if (String(type) === 'Boolean!') given[name] = true;
    else if (String(type) === 'DeploymentStatus!') given[name] = 'failed';
  }
  const needed = parameters.filter(({ name, required }) => required && !route.path.includes(`:${name}`));
  const query = needed.length === 0 ? '' : `?${new URLSearchParams(needed.map(({ name }) => [name, 'changed']))}`;
  const answer = await (method === 'get' || method === 'delete'
    ? world.api(attacker)[method](path + (method === 'delete' ? query : ''))
    : world.api(attacker)[method](path, given));
  // The deletion of a snippet that is not there succeeds.
  const expected = route.method === 'DELETE' && route.path.endsWith('/:snippet_id') ? [200, 204] : [404];
  expect(expected).toContain(answer.status);
  expect(JSON.stringify(answer.body)).not.toContain('zqsecret');
  expect(await state()).toEqual(before);
});
