import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { groupOfPlace, projectOfPlace } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { findPushRules } from '#src/domain/repository/push_rules/find.ts';

/** What each part of a rule asks, for its fields and inputs. */
export const PUSH_RULE_PARTS = {
  commitMessageRegex: 'Regular expression that messages of commits must match.',
  commitMessageNegativeRegex: 'Regular expression that messages of commits must not match.',
  branchNameRegex: 'Regular expression that names of branches must match, except the default branch.',
  authorEmailRegex: 'Regular expression that email addresses of authors must match.',
  fileNameRegex: 'Regular expression that paths of files which are added or changed must not match.',
  maxFileSize: 'Megabytes of the largest file that may be added; 0 for any.',
  denyDeleteTag:
    'Whether tags cannot be deleted by a push; those who may delete them can do so on the pages and by the API.',
  memberCheck: 'Whether authors of commits must have an account, with their address confirmed.',
  preventSecrets:
    'Whether files with names of private keys, or of files in which programs keep passwords, are refused.',
  commitCommitterCheck: 'Whether the committer of each commit must have a confirmed address of the user who pushes it.',
  commitCommitterNameCheck: 'Whether the committer of each commit must have the name of the user who pushes it.',
  rejectUnsignedCommits: 'Whether commits must be signed. Those that the server makes for users are not.',
  rejectNonDcoCommits: 'Whether messages of commits must have a line `Signed-off-by: Name <address>`.',
} as const;

export const PushRule = builder.prismaObject('PushRule', {
  description:
    'The rules for commits, branches and files that are pushed to a project, or to the projects below a group that have none of their own. Regular expressions are Ruby’s, match anywhere unless they are anchored, and check nothing if they are empty.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the rule, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PushRule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project; null for the rule of a group. See also `project`.',
    }),
    project: t.field(projectOfPlace),
    group: t.field(groupOfPlace),
    commitMessageRegex: t.exposeString('commitMessageRegex', { description: PUSH_RULE_PARTS.commitMessageRegex }),
    commitMessageNegativeRegex: t.exposeString('commitMessageNegativeRegex', {
      description: PUSH_RULE_PARTS.commitMessageNegativeRegex,
    }),
    branchNameRegex: t.exposeString('branchNameRegex', { description: PUSH_RULE_PARTS.branchNameRegex }),
    authorEmailRegex: t.exposeString('authorEmailRegex', { description: PUSH_RULE_PARTS.authorEmailRegex }),
    fileNameRegex: t.exposeString('fileNameRegex', { description: PUSH_RULE_PARTS.fileNameRegex }),
    maxFileSize: t.exposeInt('maxFileSize', { description: PUSH_RULE_PARTS.maxFileSize }),
    denyDeleteTag: t.exposeBoolean('denyDeleteTag', { description: PUSH_RULE_PARTS.denyDeleteTag }),
    memberCheck: t.exposeBoolean('memberCheck', { description: PUSH_RULE_PARTS.memberCheck }),
    preventSecrets: t.exposeBoolean('preventSecrets', { description: PUSH_RULE_PARTS.preventSecrets }),
    commitCommitterCheck: t.exposeBoolean('commitCommitterCheck', {
      description: PUSH_RULE_PARTS.commitCommitterCheck,
    }),
    commitCommitterNameCheck: t.exposeBoolean('commitCommitterNameCheck', {
      description: PUSH_RULE_PARTS.commitCommitterNameCheck,
    }),
    rejectUnsignedCommits: t.exposeBoolean('rejectUnsignedCommits', {
      description: PUSH_RULE_PARTS.rejectUnsignedCommits,
    }),
    rejectNonDcoCommits: t.exposeBoolean('rejectNonDcoCommits', { description: PUSH_RULE_PARTS.rejectNonDcoCommits }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the rule was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the rule was last changed.' }),
  }),
});

/** The rule of a place; those of all places of a list are read together. */
function ruleAt(context: GraphQLContext, info: GraphQLResolveInfo, place: Owner) {
  const selection = selectionAt(info, 'PushRule');
  const load = (places: readonly Owner[]) => findPushRules(context, places, selection);
  return loaderAt(context, info, selection, load, { cache: false }).load(place);
}

builder.objectFields(Project, (t) => ({
  pushRule: t.field({
    type: PushRule,
    nullable: true,
    description:
      'The push rule of the project itself; null if it has none, and then that of the nearest group around it applies. For masters.',
    resolve: (project, _args, context, info) => ruleAt(context, info, { project, group: null }),
  }),
}));

builder.objectFields(Group, (t) => ({
  pushRule: t.field({
    type: PushRule,
    nullable: true,
    description:
      'The push rule of the group itself, for projects below it without a nearer one; null if it has none. For owners.',
    resolve: (group, _args, context, info) => ruleAt(context, info, { project: null, group }),
  }),
}));
