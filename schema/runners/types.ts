import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#schema/users/types.ts';
import { runnerStatus } from '#src/domain/ci/runners/status.ts';

type Status = ReturnType<typeof runnerStatus>;

/** For fields visible only to those who see a runner in full; null for others. */
function inFull<T>(read: (runner: T) => string | null) {
  return async (runner: T & { id: number; isShared: boolean }, _args: object, { loaders }: GraphQLContext) =>
    (await loaders.runnerInFull.load(runner)) ? read(runner) : null;
}

const WHO = 'Null for callers who cannot see the runner in full.';

export const RunnerType = builder.enumType('RunnerType', {
  description: 'Whose jobs a runner runs.',
  values: {
    INSTANCE_TYPE: { value: 'instance_type', description: 'Jobs of all projects that have shared runners turned on.' },
    GROUP_TYPE: { value: 'group_type', description: 'Jobs of the projects of a group and its subgroups.' },
    PROJECT_TYPE: { value: 'project_type', description: 'Jobs of the projects that it is enabled for.' },
  } as const,
});

export const RunnerStatus = builder.enumType('RunnerStatus', {
  description: 'Whether a runner is there.',
  values: {
    ONLINE: { value: 'online', description: 'It was heard of within two hours.' },
    OFFLINE: { value: 'offline', description: 'It was heard of within a week, but not within two hours.' },
    STALE: { value: 'stale', description: 'It was not heard of for a week, or never since it was made.' },
    NEVER_CONTACTED: { value: 'never_contacted', description: 'It is new, and was not heard of yet.' },
  } satisfies Record<string, { value: Status; description: string }>,
});

const RunnerActivity = builder.enumType('RunnerActivity', {
  description: 'Whether a runner runs jobs now.',
  values: {
    ACTIVE: { value: 'active', description: 'It runs at least one job.' },
    IDLE: { value: 'idle', description: 'It runs no job.' },
  } as const,
});

export const RunnerAccessLevel = builder.enumType('RunnerAccessLevel', {
  description: 'Of which refs a runner takes jobs.',
  values: {
    NOT_PROTECTED: { value: 'not_protected', description: 'Jobs of all branches and tags.' },
    REF_PROTECTED: { value: 'ref_protected', description: 'Only jobs of protected branches and tags.' },
  } as const,
});

const activityOf = ({ isBusy }: { isBusy: boolean }) => (isBusy ? 'active' : 'idle');

export const RunnerManager = builder.prismaObject('RunnerManager', {
  description: 'A machine on which the program of a runner runs.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the machine.',
      resolve: ({ id }) => toGlobalId('RunnerManager', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the machine, as the REST API uses it.' }),
    systemId: t.exposeString('systemId', { description: 'What the program calls its machine.' }),
    version: t.exposeString('version', {
      nullable: true,
      description: 'Version of the program; null if it gave none.',
    }),
    revision: t.exposeString('revision', {
      nullable: true,
      description: 'Revision of the program; null if it gave none.',
    }),
    platform: t.exposeString('platform', {
      nullable: true,
      description: 'Operating system, such as `linux`; null if it gave none.',
    }),
    architecture: t.exposeString('architecture', {
      nullable: true,
      description: 'Processor architecture, such as `amd64`; null if it gave none.',
    }),
    ipAddress: t.string({
      nullable: true,
      description: 'Address that it was last heard of from; null for callers who may not change the runner.',
      select: { ipAddress: true, runner: { select: { id: true, isShared: true } } },
      resolve: async ({ ipAddress, runner }, _args, { actor, loaders }) => {
        const maySee = runner.isShared ? actor?.admin : await loaders.runnerInFull.load(runner);
        return maySee ? ipAddress : null;
      },
    }),
    contactedAt: t.expose('contactedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last heard of, to the minute; null if it never was.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first heard of.' }),
    status: t.field({
      type: RunnerStatus,
      description: 'Whether the machine is there.',
      select: { contactedAt: true, createdAt: true },
      resolve: runnerStatus,
    }),
    jobExecutionStatus: t.field({
      type: RunnerActivity,
      description: 'Whether the machine runs jobs now.',
      select: { isBusy: true },
      resolve: activityOf,
    }),
  }),
});

export const Runner = builder.prismaObject('Runner', {
  description:
    'A program that runs jobs on another machine. Shared runners can be seen in full by every user, others by masters of their projects and by administrators.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the runner, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Runner', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the runner, as the REST API uses it.' }),
    description: t.exposeString('description', { description: 'What the runner is called by people.' }),
    active: t.exposeBoolean('active', { description: 'Whether the runner gets jobs; a paused one gets none.' }),
    isShared: t.exposeBoolean('isShared', {
      description: 'Whether the runner is for all projects that have shared runners turned on.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Name that the runner’s program gave itself; null if it gave none.',
    }),
    online: t.boolean({
      description: 'Whether the runner asked for a job within the last two hours.',
      select: { contactedAt: true },
      resolve: ({ contactedAt }) => contactedAt !== null && Date.now() - Date.parse(contactedAt) < 2 * 3_600_000,
    }),
    paused: t.boolean({
      description: 'Whether the runner gets no jobs.',
      select: { active: true },
      resolve: ({ active }) => !active,
    }),
    runnerType: t.field({
      type: RunnerType,
      description: 'Whose jobs the runner runs.',
      select: { isShared: true, groupId: true },
      resolve: ({ isShared, groupId }) =>
        isShared ? 'instance_type' : groupId === null ? 'project_type' : 'group_type',
    }),
    status: t.field({
      type: RunnerStatus,
      description: 'Whether the runner is there.',
      select: { contactedAt: true, createdAt: true },
      resolve: runnerStatus,
    }),
    jobExecutionStatus: t.field({
      type: RunnerActivity,
      description: 'Whether the runner runs jobs now.',
      select: { isBusy: true },
      resolve: activityOf,
    }),
    accessLevel: t.field({
      type: RunnerAccessLevel,
      description: 'Of which refs the runner takes jobs.',
      select: { refProtected: true },
      resolve: ({ refProtected }) => (refProtected ? 'ref_protected' : 'not_protected'),
    }),
    maximumTimeout: t.exposeInt('maximumTimeout', {
      nullable: true,
      description: 'How long its jobs can run at most, in seconds; null for as long as projects and jobs say.',
    }),
    maintenanceNote: t.string({
      nullable: true,
      description: `Note for those who maintain the runner; null without. ${WHO}`,
      select: { maintenanceNote: true, isShared: true },
      resolve: inFull(({ maintenanceNote }) => maintenanceNote),
    }),
    createdBy: t.relation('creator', {
      nullable: true,
      description: 'The user who created the runner; null for those that registered themselves.',
    }),

    runUntagged: t.exposeBoolean('runUntagged', { description: 'Whether the runner takes jobs without tags.' }),
    locked: t.exposeBoolean('locked', { description: 'Whether the runner cannot be enabled for further projects.' }),
    tagList: t.stringList({
      nullable: true,
      description: `Tags of the runner: it takes jobs whose tags are all among them. ${WHO}`,
      select: { tagList: true, isShared: true },
      resolve: async (runner, _args, { loaders }) =>
        (await loaders.runnerInFull.load(runner)) ? (runner.tagList ?? []) : null,
    }),
    version: t.string({
      nullable: true,
      description: `Version of the runner’s program; null if it gave none. ${WHO}`,
      select: { version: true, isShared: true },
      resolve: inFull(({ version }) => version),
    }),
    revision: t.string({
      nullable: true,
      description: `Revision of the runner’s program; null if it gave none. ${WHO}`,
      select: { revision: true, isShared: true },
      resolve: inFull(({ revision }) => revision),
    }),
    platform: t.string({
      nullable: true,
      description: `Operating system of the runner, such as \`linux\`; null if it gave none. ${WHO}`,
      select: { platform: true, isShared: true },
      resolve: inFull(({ platform }) => platform),
    }),
    architecture: t.string({
      nullable: true,
      description: `Processor architecture of the runner, such as \`amd64\`; null if it gave none. ${WHO}`,
      select: { architecture: true, isShared: true },
      resolve: inFull(({ architecture }) => architecture),
    }),
    contactedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the runner last asked for a job, to the minute; null if it never did. ${WHO}`,
      select: { contactedAt: true, isShared: true },
      resolve: inFull(({ contactedAt }) => contactedAt),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the runner was registered.' }),
  }),
});
