import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { readerOf, readsOf } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { RecordTypes } from '#schema/records/types.ts';
import { registerApplication } from '#src/domain/applications/save.ts';
import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import { createDeployKey } from '#src/domain/repository/deploy_keys/save.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { getDatamodel } from '#src/generated/pothos.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import { sorted } from '#src/platform/records/order.ts';
import { byKey } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { encrypt } from '#src/platform/secrets.ts';
import { recordedImage } from '../support/container_records.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const milestone = await world.milestone(project, owner);
const label = await world.label(project, owner);
const values = { labels: [label.title], milestoneId: milestone.id, assigneeId: owner.id };
const { id: issueId } = await world.issue(project, owner, values);
const mergeRequest = await world.mergeRequest(project, owner, { iid: 1, milestoneId: milestone.id });
await createBoardList(world.as(owner), { project: project.id }, null, label.id);
await world.db.protectedBranch.create({ data: { projectId: project.id, name: 'v*' } });
await world.db.protectedTag.create({ data: { projectId: project.id, name: 'v*' } });
await world.db.timelog.create({ data: { issueId, userId: owner.id, seconds: 60 } });
for (const about of [{ issueId }, { mergeRequestId: mergeRequest.id }]) {
  const data = { ...about, userId: owner.id, authorId: owner.id, projectId: project.id };
  await world.db.todo.create({ data: { ...data, action: 'marked' } });
}
await world.db.mergeRequestVersion.create({
  data: { mergeRequestId: mergeRequest.id, headCommitSha: 'a', baseCommitSha: 'b', startCommitSha: 'b', realSize: '1' },
});
const ofReview = { mergeRequestId: mergeRequest.id, userId: owner.id };
await world.db.mergeRequestReviewer.create({ data: ofReview });
await world.db.mergeRequestApproval.create({ data: ofReview });
await world.db.draftNote.create({ data: { mergeRequestId: mergeRequest.id, authorId: owner.id, body: 'Why?' } });
await world.db.stateEvent.create({ data: { issueId, userId: owner.id, state: 'closed' } });
await world.db.accessRequest.create({ data: { userId: owner.id, projectId: project.id } });
const ofUser = { projectId: project.id, userId: owner.id };
const { id: pipelineId } = await world.db.pipeline.create({
  data: { ...ofUser, ref: 'main', sha: '0'.repeat(40), source: 'api', coverage: 50 },
});
const { id: jobId } = await world.db.job.create({
  data: {
    ...ofUser,
    pipelineId,
    name: 'build',
    stage: 'build',
    stageIndex: 0,
    artifactsFilename: 'a.zip',
    artifactsSize: 9,
  },
});
await world.db.topic.create({ data: { name: 'ruby', title: 'Ruby' } });
await world.db.projectStar.create({ data: { projectId: project.id, userId: owner.id } });
await world.db.upload.create({
  data: { projectId: project.id, userId: owner.id, secret: '0'.repeat(32), fileName: 'a.txt', size: 1 },
});
await world.token(owner);
await world.db.gpgKey.create({
  data: {
    ...{
      userId: owner.id,
      key: 'key',
      fingerprint: 'AA',
      primaryKeyId: 'AA',
      names: ['Ann'],
      emails: ['ann@example.org'],
    },
    subkeys: { create: { keyId: 'BB', fingerprint: 'BB' } },
  },
});
await world.db.invitation.create({
  data: { projectId: project.id, email: 'guest@example.net', accessLevel: 30, createdById: owner.id },
});
await world.db.deployToken.create({
  data: {
    ...{ projectId: project.id, name: 'deploy', username: 'robot', scopes: ['read_repository'] },
    tokenHash: Buffer.from('deploy'),
  },
});
await createDeployKey(world.as(owner), project.id, { title: 'Server', key: newKey(), canPush: false });
await world.db.hookDelivery.create({
  data: {
    hook: { create: { projectId: project.id, url: 'https://hooks.example/' } },
    event: { create: { kind: 'push', facts: {}, payload: '{}' } },
    state: 'failed',
  },
});
const ran = await world.db.runner.create({ data: { description: 'A runner', tokenHash: Buffer.from('hash') } });
await world.db.job.update({ where: { id: jobId }, data: { runnerId: ran.id } });
await world.db.runnerManager.create({ data: { runnerId: ran.id, systemId: 's_one' } });
await world.db.pipelineSchedule.create({
  data: { projectId: project.id, ownerId: owner.id, description: 'Nightly', ref: 'refs/heads/main', cron: '0 3 * * *' },
});
await world.db.approvalRule.create({ data: { projectId: project.id, name: 'Security' } });
await world.db.pushRule.create({ data: { projectId: project.id } });
await world.db.resourceGroup.create({ data: { projectId: project.id, key: 'live' } });
const { id: userListId } = await world.db.featureFlagUserList.create({
  data: { projectId: project.id, iid: 1, name: 'Testers', userXids: '1,2' },
});
const listed = { name: 'gitlabUserList', userListId, scopes: { create: { environmentScope: '*' } } };
await world.db.customAttribute.create({ data: { projectId: project.id, key: 'cost_center', value: '42' } });
const [startsAt, endsAt] = [new Date(), new Date(Date.now() + 1_000)];
await world.db.broadcastMessage.create({ data: { message: 'Soon', startsAt, endsAt } });
await world.db.pagesDeployment.create({
  data: {
    ...{ projectId: project.id, jobId, pipelineId: 1, rootDirectory: 'public', secret: 'of a site' },
    ...{ fileCount: 1, size: 1, indexSize: 1 },
  },
});
await world.db.pagesDomain.create({ data: { projectId: project.id, domain: 'example.org', verificationCode: 'code' } });
await world.db.terraformState.create({
  data: {
    ...{ projectId: project.id, name: 'production', lockId: 'x', lockedAt: new Date(), lockedById: owner.id },
    versions: { create: { serial: 1, content: Buffer.from('x'), size: 1 } },
  },
});
await world.db.featureFlag.create({
  data: { projectId: project.id, iid: 1, name: 'flag', description: 'Why', strategies: { create: listed } },
});
await world.db.remoteMirror.create({
  data: { projectId: project.id, urlEncrypted: encrypt('https://mirror.example/', world.as(owner).secret) },
});
const { id: environmentId } = await world.db.environment.create({
  data: { projectId: project.id, name: 'production', slug: 'production' },
});
const deployed = { ...ofUser, environmentId, ref: 'main', sha: '0'.repeat(40) };
await world.db.deployment.createMany({
  data: [
    { ...deployed, iid: 1, jobId },
    { ...deployed, iid: 2 },
  ],
});
await world.db.commitComment.create({
  data: { projectId: project.id, authorId: owner.id, sha: '0'.repeat(40), note: 'Why?' },
});
const said = { subjectType: 'Snippet', subjectId: 1 };
await world.db.note.create({ data: { ...said, authorId: owner.id, body: 'Why?' } });
await world.db.awardEmoji.create({ data: { ...said, userId: owner.id, name: 'heart' } });
await world.db.release.create({
  data: {
    ...{ projectId: project.id, tag: 'v1', description: 'Notes', authorId: owner.id },
    links: { create: { name: 'app', url: 'https://app.example/' } },
  },
});
await recordedImage(world, project);
await world.db.containerTagProtectionRule.create({ data: { projectId: project.id, tagNamePattern: 'v.*' } });
await world.db.containerProtectionRepositoryRule.create({
  data: { projectId: project.id, repositoryPathPattern: 'app/*', minimumAccessLevelForPush: 'owner' },
});
await world.db.packagesProtectionRule.create({
  data: { projectId: project.id, packageNamePattern: 'app*', packageType: 'npm', minimumAccessLevelForPush: 'owner' },
});
await world.db.package.create({
  data: {
    ...{ projectId: project.id, type: 'npm', name: 'app', version: '1.0.0' },
    tags: { create: { projectId: project.id, packageName: 'app', name: 'latest' } },
    files: {
      create: {
        ...{ projectId: project.id, secret: 'secret', storedAs: 'a', fileName: 'a', size: 1 },
        ...{ md5: '0', sha1: '0', sha256: '0' },
      },
    },
  },
});
await createTrigger(world.as(owner), project.id, 'Nightly');
await createVariable(world.as(owner), { project: project.id, key: 'KEY', value: 'value' });
await registerApplication(world.as(owner), {
  name: 'App',
  redirectUris: ['https://app.example/'],
  scopes: ['api'],
  confidential: true,
});
const text = { title: 'A text', fileName: 'a.txt', content: 'text', visibility: 'private' } as const;
await createSnippet(world.as(owner), text);
await createSnippet(world.as(owner), { ...text, project: project.id });
await world.db.identity.create({ data: { userId: owner.id, provider: 'elsewhere', externUid: '1' } });
await world.db.importSourceUser.create({
  data: {
    ...{ namespaceId: project.namespaceId, sourceHostname: 'git.example.org', sourceUserIdentifier: '7' },
    ...{ sourceUsername: 'ann', sourceName: 'Ann', reassignToUserId: owner.id, reassignedById: owner.id },
  },
});

await world.db.bulkImport.create({
  data: {
    ...{ userId: owner.id, url: 'https://git.example.org', token: Buffer.from('x') },
    entities: {
      create: {
        ...{ userId: owner.id, kind: 'project', sourceFullPath: 'a/b', destinationSlug: 'b' },
        ...{ destinationNamespace: 'a', correlationId: 'c', projectId: project.id },
      },
    },
  },
});

const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ extensions }) => extensions.pothosPrismaModel !== undefined);

/** All fields of a type, and of records below so many levels. */
function fieldsOf(type: GraphQLObjectType, depth: number): string {
  const texts = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return field.name;
    const isRecord = isObjectType(named) && named.extensions.pothosPrismaModel !== undefined && readsOf(field)?.path;
    if (!isRecord) return `${field.name} { __typename }`;
    return depth > 0 ? `${field.name} { ${fieldsOf(named, depth - 1)} }` : [];
  });
  return ['__typename', ...texts].join(' ');
}

function selectionOf(type: GraphQLObjectType) {
  const [operation] = parse(`{ record { ${fieldsOf(type, 2)} } }`).definitions;
  const field = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined;
  if (field?.kind !== Kind.FIELD) throw new Error('no field');
  const model = type.extensions.pothosPrismaModel as ModelName;
  return selectionAt({ fieldNodes: [field], returnType: type, schema, fragments: {} }, model);
}

describe('Every field of', () => {
  it.each(types.map((type) => [type.name, type] as const))('%s finds in the row what it reads', async (_, type) => {
    const selection = selectionOf(type);
    const params = {
      actor: owner.actor,
      confidential: false,
      projectPath: project.fullPath,
      labelsOf: project.id,
      labelsCount: { issues: true, mergeRequests: true },
    };
    const from = Prisma.sql`SELECT * FROM ${table(alias(selection.model, 'x'))}`;
    const order = (row: Alias<ModelName>) => sorted(row, byKey(selection.model));
    const rows = await queryJson<object[]>(world.db, rowsJson(selection, { from, order, params }));
    expect(rows.length).toBeGreaterThan(0);
    for (const field of Object.values(type.getFields())) {
      const { path, select } = readsOf(field) ?? { path: null, select: {} };
      for (const row of rows) {
        if (path) expect(() => readerOf(path, field.name)(row), field.name).not.toThrow();
        for (const name of Object.keys(select)) expect(Reflect.get(row, name), name).not.toBeUndefined();
      }
    }
  });

  it('the types with a model are those that resolve by it', () => {
    expect(types.map(({ name }) => name).sort()).toEqual([
      'AccessRequest',
      'ApprovalRule',
      'AuditEvent',
      'AwardEmoji',
      'Board',
      'BoardList',
      'BranchProtectionRule',
      'BroadcastMessage',
      'BulkImport',
      'BulkImportEntity',
      'CommitComment',
      'CommitStatus',
      'ContainerProtectionRepositoryRule',
      'ContainerRepository',
      'ContainerTag',
      'ContainerTagProtectionRule',
      'CustomAttribute',
      'DeployKey',
      'DeployToken',
      'Deployment',
      'Discussion',
      'DraftNote',
      'Environment',
      'FeatureFlag',
      'FeatureFlagScope',
      'FeatureFlagStrategy',
      'FeatureFlagUserList',
      'GpgKey',
      'GpgSubkey',
      'Group',
      'Identity',
      'ImportSourceUser',
      'Invitation',
      'Issue',
      'Job',
      'Label',
      'LabelEvent',
      'Member',
      'MergeRequest',
      'MergeRequestApproval',
      'MergeRequestReviewer',
      'MergeRequestVersion',
      'Milestone',
      'MilestoneEvent',
      'Note',
      'OAuthApplication',
      'Package',
      'PackageFile',
      'PackagesProtectionRule',
      'PagesDeployment',
      'PagesDomain',
      'PersonalAccessToken',
      'PersonalNamespace',
      'Pipeline',
      'PipelineSchedule',
      'Project',
      'ProjectStar',
      'ProjectUpload',
      'PushRule',
      'Release',
      'RemoteMirror',
      'ResourceGroup',
      'Runner',
      'RunnerManager',
      'Snippet',
      'StateEvent',
      'TagProtectionRule',
      'TerraformState',
      'Timelog',
      'Todo',
      'Topic',
      'Trigger',
      'User',
      'Variable',
      'Webhook',
      'WebhookDelivery',
    ]);
  });
});

describe('A field of a record', () => {
  it('fails where what it reads was not selected, and loads nothing', () => {
    const title = schema.getType('Issue') as GraphQLObjectType;
    const resolve = title.getFields().title?.resolve as (record: object) => unknown;
    expect(() => resolve({ id: 1 })).toThrow('Issue.title was asked for, but not read');
    expect(resolve({ title: 'A' })).toBe('A');
  });
});

describe('The schema is not built', () => {
  const fresh = () => {
    const builder = new SchemaBuilder<{ PrismaTypes: RecordTypes }>({
      plugins: ['records', PrismaPlugin],
      prisma: { client: world.db, dmmf: getDatamodel() },
    });
    builder.queryType({ fields: (t) => ({ nothing: t.string({ resolve: () => null }) }) });
    builder.prismaObject('Issue', { select: { id: true }, fields: (t) => ({ id: t.exposeID('id') }) });
    return builder;
  };

  it('with a relation that takes arguments, which would end up in a text that is kept', () => {
    const builder = fresh();
    builder.prismaObject('Project', {
      select: { id: true },
      fields: (t) => ({ issues: t.relation('issues', { args: { first: t.arg.int() }, query: { take: 3 } }) }),
    });
    expect(() => builder.toSchema()).toThrow('Project.issues: a relation with arguments is a list of its own');
  });

  it('with a selection that depends on the request', () => {
    const builder = fresh();
    builder.prismaObject('Project', {
      select: { id: true },
      fields: (t) => ({ name: t.string({ select: () => ({ name: true }), resolve: () => 'name' }) }),
    });
    expect(() => builder.toSchema()).toThrow('Project.name: its selection must be constant');
  });
});
