import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { deleted, mutation, type Payload } from '#schema/mutation.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { debianDistributionOrder } from '#schema/orders.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import {
  createDistribution,
  type DistributionFilter,
  type DistributionPlace,
  type DistributionRow,
  deleteDistribution,
  findDistribution,
  listDistributions,
  updateDistribution,
} from '#src/domain/packages/debian/distributions.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

const TEXTS = {
  codename: 'Name of the distribution, such as `bookworm`: letters, digits, `.` and `-`. It cannot be changed.',
  suite: 'Another name of the distribution, such as `stable`.',
  origin: 'Who makes the distribution, for `Release`.',
  label: 'What the distribution is called, for `Release`.',
  version: 'Version of the distribution, such as `12.4`.',
  description: 'What the distribution is, for `Release`.',
  validTime: 'For how many seconds an index can be used, at least a day; null for ever.',
  components: 'Names of the components of the distribution, at most 20; `main` alone unless given.',
  architectures: 'Architectures that packages are for, at most 20; `all` is always one of them. `amd64` unless given.',
} as const;

const DebianDistribution = builder.objectRef<DistributionRow>('DebianDistribution').implement({
  description: 'A distribution of Debian packages of a project, or of the projects below a group.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the distribution.',
      resolve: ({ id }) => toGlobalId('DebianDistribution', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the distribution, as the REST API has it.' }),
    codename: t.exposeString('codename', { description: TEXTS.codename }),
    suite: t.exposeString('suite', { nullable: true, description: TEXTS.suite }),
    origin: t.exposeString('origin', { nullable: true, description: TEXTS.origin }),
    label: t.exposeString('label', { nullable: true, description: TEXTS.label }),
    version: t.exposeString('version', { nullable: true, description: TEXTS.version }),
    description: t.exposeString('description', { nullable: true, description: TEXTS.description }),
    validTimeDurationSeconds: t.exposeInt('validTime', { nullable: true, description: TEXTS.validTime }),
    components: t.exposeStringList('components', { description: TEXTS.components }),
    architectures: t.exposeStringList('architectures', { description: TEXTS.architectures }),
    signingKey: t.exposeString('publicKey', {
      description: 'The public OpenPGP key whose private part signs the indexes, in its armor.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the distribution was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the distribution was last changed.' }),
  }),
});

const DebianDistributionConnection = connectionOf('DebianDistribution', DebianDistribution);

const DebianDistributionFilter = builder.inputType('DebianDistributionFilter', {
  description: 'Which distributions of Debian packages a list has. All conditions must hold.',
  fields: (t) => ({
    codename: t.string({ description: 'Only the distribution with this codename.' }),
    suite: t.string({ description: 'Only the distribution with this suite.' }),
  }),
});

const listArgs = builder.args((t) => ({
  ...pageArgs,
  ...debianDistributionOrder('ID', 'asc'),
  filter: t.field({ type: DebianDistributionFilter, description: 'Which distributions to list; all if left out.' }),
}));

/** A page of the distributions of a place, read together with those of others in a list. */
function pageAt(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  place: DistributionPlace,
  filter: DistributionFilter,
  page: PageRequest,
): Promise<Page<DistributionRow>> {
  const load = (places: readonly DistributionPlace[]) => listDistributions(context, places, filter, page);
  return loaderAt(context, info, { key: 'distributions' }, load, { cache: false }).load(place);
}

const oneArgs = builder.args((t) => ({
  codename: t.string({ required: true, description: 'What apt calls the distribution by, such as `trixie`.' }),
}));

builder.objectFields(Project, (t) => ({
  debianDistributions: t.field({
    type: DebianDistributionConnection,
    description:
      'The distributions of Debian packages of the project itself, oldest first. For reporters of a private project.',
    args: listArgs,
    resolve: (project, { filter, ...args }, context, info) =>
      loadCountedPage(args, info, (page) => pageAt(context, info, { project }, filter ?? {}, page)),
  }),
  debianDistribution: t.field({
    type: DebianDistribution,
    description: 'A distribution of Debian packages of the project itself.',
    args: oneArgs,
    resolve: (project, { codename }, context) => findDistribution(context, { project }, codename),
  }),
}));

builder.objectFields(Group, (t) => ({
  debianDistributions: t.field({
    type: DebianDistributionConnection,
    description:
      'The distributions of the group itself, oldest first, which have the Debian packages of all projects below it.',
    args: listArgs,
    resolve: (group, { filter, ...args }, context, info) =>
      loadCountedPage(args, info, (page) => pageAt(context, info, { group }, filter ?? {}, page)),
  }),
  debianDistribution: t.field({
    type: DebianDistribution,
    description: 'A distribution of Debian packages of the group itself.',
    args: oneArgs,
    resolve: (group, { codename }, context) => findDistribution(context, { group }, codename),
  }),
}));

const values = (t: InputFields) => ({
  suite: t.string({ description: TEXTS.suite }),
  origin: t.string({ description: TEXTS.origin }),
  label: t.string({ description: TEXTS.label }),
  version: t.string({ description: TEXTS.version }),
  description: t.string({ description: TEXTS.description }),
  validTimeDurationSeconds: t.int({ description: TEXTS.validTime }),
  components: t.stringList({ description: TEXTS.components }),
  architectures: t.stringList({ description: TEXTS.architectures }),
});

const which = (t: InputFields) => ({
  ...placeFields(t, 'of the distribution'),
  codename: t.string({ required: true, description: TEXTS.codename }),
});

const payload: Payload<{ distribution: DistributionRow }> = {
  description: 'The distribution of Debian packages after the mutation.',
  fields: (t) => ({
    debianDistribution: t.expose('distribution', {
      type: DebianDistribution,
      description: 'The distribution as it is now.',
    }),
  }),
};

mutation('createDebianDistribution', {
  description:
    'Creates a distribution of Debian packages, with a key that signs its indexes. For developers; there can be 100 of them.',
  input: {
    description: 'A new distribution of Debian packages of a project or group.',
    argument: 'Place, names and parts of the distribution.',
    fields: (t) => ({ ...which(t), ...values(t) }),
  },
  resolve: async ({ project, group, validTimeDurationSeconds: validTime, ...given }, context) => ({
    distribution: await createDistribution(context, { project, group }, { ...given, validTime }),
  }),
  payload,
});

mutation('updateDebianDistribution', {
  description: 'Changes a distribution of Debian packages of the project or group itself. For developers.',
  input: {
    description: 'Changes to a distribution of Debian packages: what is left out stays as it is, and null clears it.',
    argument: 'The distribution, and what to change.',
    fields: (t) => ({ ...which(t), ...values(t) }),
  },
  resolve: async ({ project, group, codename, validTimeDurationSeconds: validTime, ...given }, context) => ({
    distribution: await updateDistribution(context, { project, group }, codename, { ...given, validTime }),
  }),
  payload,
});

mutation('deleteDebianDistribution', {
  description:
    'Deletes a distribution of Debian packages with its key, so that a new one of the name has another. Packages stay. For masters.',
  input: {
    description: 'Which distribution of Debian packages to delete.',
    argument: 'Names place and distribution.',
    fields: which,
  },
  resolve: ({ project, group, codename }, context) => deleteDistribution(context, { project, group }, codename),
  payload: { ...deleted('DebianDistribution', 'distribution'), from: fromPlace },
});
