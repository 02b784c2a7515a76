import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';

/** For fields visible only to those who see a runner in full; null for others. */
function inFull<T>(read: (runner: T) => string | null) {
  return async (runner: T & { id: number; isShared: boolean }, _args: object, { loaders }: GraphQLContext) =>
    (await loaders.runnerInFull.load(runner)) ? read(runner) : null;
}

const WHO = 'Null for callers who cannot see the runner in full.';

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
      description: 'Whether the runner asked for a job within the last hour.',
      select: { contactedAt: true },
      resolve: ({ contactedAt }) => contactedAt !== null && Date.now() - Date.parse(contactedAt) < 3_600_000,
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
