import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { values } from '#schema/enums.ts';
import { branchProtectionFilter, tagProtectionFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { branchProtectionOrder, tagProtectionOrder } from '#schema/orders.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { countMatching, isOfDefault } from '#src/domain/repository/matching_branches.ts';
import { branchProtectionRules, tagProtectionRules } from '#src/domain/repository/protections/list.ts';

export const ProtectionAccessLevel = builder.enumType('ProtectionAccessLevel', {
  description: 'Whom a protection lets do something, by their level in the project.',
  values: values<number>({
    NO_ONE: { value: 0, description: 'Level 0: nobody, administrators included.' },
    DEVELOPER: { value: 30, description: 'Level 30: developers and masters.' },
    // Both names are read; what is answered has the name that comes last.
    MAINTAINER: { value: 40, description: 'Level 40, as `MASTER`, for input: answers say `MASTER`.' },
    MASTER: { value: 40, description: 'Level 40: masters of the project.' },
    ADMINISTRATOR: { value: 60, description: 'Level 60: administrators of the server alone.' },
  }),
});

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Administrators',
};

interface LevelRow {
  id: number;
  accessLevel: number | null;
  deployKeyId: number | null;
}

export const ProtectionLevel = builder.objectRef<LevelRow>('ProtectionLevel').implement({
  description: 'Whom a protection lets do something: users from an access level on, or a deploy key.',
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the level, for changes of its protection.',
      resolve: ({ id }) => toGlobalId('ProtectionLevel', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the level, which stays while the level does.' }),
    accessLevel: t.field({
      type: ProtectionAccessLevel,
      nullable: true,
      description: 'The access level from which on users may; null for a deploy key.',
      resolve: ({ accessLevel }) => accessLevel,
    }),
    accessLevelDescription: t.string({
      description: 'The level in words, such as `Developers + Maintainers`.',
      resolve: ({ accessLevel }) => (accessLevel === null ? 'Deploy key' : (DESCRIPTIONS[accessLevel] ?? '')),
    }),
    deployKeyId: t.exposeInt('deployKeyId', {
      nullable: true,
      description: 'Numeric ID of the deploy key that may push or create tags; null for an access level.',
    }),
    userId: t.int({
      nullable: true,
      description: 'Always null, for compatibility with the REST API: users are not named one by one.',
      resolve: () => null,
    }),
    groupId: t.int({
      nullable: true,
      description: 'Always null, for compatibility with the REST API: groups are not named one by one.',
      resolve: () => null,
    }),
  }),
});

const LEVELS = { levels: { select: { id: true, action: true, accessLevel: true, deployKeyId: true } } } as const;
const TAG_LEVELS = { levels: { select: { id: true, accessLevel: true, deployKeyId: true } } } as const;

/** Levels oldest first. */
const inOrder = <L extends LevelRow>(levels: readonly L[]) => levels.toSorted((one, other) => one.id - other.id);

const levelsOf = (levels: readonly (LevelRow & { action: string })[], wanted: 'push' | 'merge' | 'unprotect') =>
  inOrder(levels.filter(({ action }) => action === wanted));

export const BranchProtectionRule = builder.prismaObject('ProtectedBranch', {
  name: 'BranchProtectionRule',
  select: { id: true },
  description: 'A rule about who may push to branches and merge into them, for the branches that its name matches.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the protection.',
      resolve: ({ id }) => toGlobalId('BranchProtectionRule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the protection, as the REST API shows it.' }),
    name: t.exposeString('name', {
      description: 'Name of a branch, or a pattern in which each `*` stands for any text, slashes included.',
    }),
    pushLevels: t.field({
      type: [ProtectionLevel],
      description: 'Who may push to the branches; each level is enough.',
      select: LEVELS,
      resolve: ({ levels }) => levelsOf(levels, 'push'),
    }),
    mergeLevels: t.field({
      type: [ProtectionLevel],
      description: 'Who may merge into the branches, as those may who may push; each level is enough.',
      select: LEVELS,
      resolve: ({ levels }) => levelsOf(levels, 'merge'),
    }),
    unprotectLevels: t.field({
      type: [ProtectionLevel],
      description: 'Who of the masters may change and remove the protection; each level is enough.',
      select: LEVELS,
      resolve: ({ levels }) => levelsOf(levels, 'unprotect'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the protection was created.' }),
    isDefault: t.boolean({
      description: 'Whether it is the protection of the default branch by its name.',
      select: { projectId: true, name: true },
      resolve: async ({ projectId, name }, _args, context) =>
        isOfDefault(context, await requireProjectBase(context, projectId), name),
    }),
    matchingBranchesCount: t.int({
      description: 'Number of branches that its name matches.',
      select: { projectId: true, name: true },
      resolve: async ({ projectId, name }, _args, context) =>
        countMatching(context, await requireProjectBase(context, projectId), name),
    }),
    allowForcePush: t.exposeBoolean('allowForcePush', {
      description: 'Whether those who may push may also drop commits (force push).',
    }),
    codeOwnerApprovalRequired: t.exposeBoolean('codeOwnerApprovalRequired', {
      description: 'Whether code owners have to approve merge requests that change their files.',
    }),
  }),
});

export const BranchProtectionRuleConnection = connectionOf('BranchProtectionRule', BranchProtectionRule);

export const TagProtectionRule = builder.prismaObject('ProtectedTag', {
  name: 'TagProtectionRule',
  select: { id: true },
  description:
    'A rule about who may create tags, for the tags that its name matches. Nobody changes them, and masters delete them.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the protection.',
      resolve: ({ id }) => toGlobalId('TagProtectionRule', id),
    }),
    name: t.exposeString('name', {
      description: 'Name of a tag, or a pattern in which each `*` stands for any text, slashes included.',
    }),
    createLevels: t.field({
      type: [ProtectionLevel],
      description: 'Who may create the tags; each level is enough.',
      select: TAG_LEVELS,
      resolve: ({ levels }) => inOrder(levels),
    }),
  }),
});

export const TagProtectionRuleConnection = connectionOf('TagProtectionRule', TagProtectionRule);

const search = 'Only those with this text in their names, in any case.';

builder.objectFields(Project, (t) => ({
  branchProtectionRules: t.field({
    type: BranchProtectionRuleConnection,
    description: 'The protections of branches by name, for those who can read the repository.',
    args: {
      ...pageArgs,
      ...branchProtectionFilter,
      ...branchProtectionOrder('NAME', 'asc'),
      search: t.arg.string({ description: search }),
    },
    resolve: (project, args, context, info) =>
      pageBelow('ProtectedBranch', project, args, context, info, (_context, projects, page, selection) =>
        branchProtectionRules.list(context, projects, args.search, page, selection),
      ),
  }),
  branchProtectionRule: t.field({
    type: BranchProtectionRule,
    description: 'The protection of branches with exactly this name; patterns are not applied.',
    args: { name: t.arg.string({ required: true, description: 'Name of the protection, literally.' }) },
    resolve: (project, { name }, context, info) =>
      branchProtectionRules.find(context, project, name, selectionAt(info, 'ProtectedBranch')),
  }),
  tagProtectionRules: t.field({
    type: TagProtectionRuleConnection,
    description: 'The protections of tags by name, for masters of the project.',
    args: {
      ...pageArgs,
      ...tagProtectionFilter,
      ...tagProtectionOrder('NAME', 'asc'),
      search: t.arg.string({ description: search }),
    },
    resolve: (project, args, context, info) =>
      pageBelow('ProtectedTag', project, args, context, info, (_context, projects, page, selection) =>
        tagProtectionRules.list(context, projects, args.search, page, selection),
      ),
  }),
  tagProtectionRule: t.field({
    type: TagProtectionRule,
    description: 'The protection of tags with exactly this name; patterns are not applied.',
    args: { name: t.arg.string({ required: true, description: 'Name of the protection, literally.' }) },
    resolve: (project, { name }, context, info) =>
      tagProtectionRules.find(context, project, name, selectionAt(info, 'ProtectedTag')),
  }),
}));
