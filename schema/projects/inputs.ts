import { builder } from '#schema/builder.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { Switch } from '#src/projects/values.ts';

/** What is switched on and off, and how it is in new projects. */
const SWITCHES: Record<Switch, { description: string; defaultValue: boolean }> = {
  issuesEnabled: { description: 'Whether the project has issues.', defaultValue: true },
  mergeRequestsEnabled: { description: 'Whether the project has merge requests.', defaultValue: true },
  wikiEnabled: { description: 'Whether the project has a wiki.', defaultValue: true },
  jobsEnabled: { description: 'Whether the project has pipelines and jobs.', defaultValue: true },
  snippetsEnabled: { description: 'Whether the project has snippets.', defaultValue: true },
  containerRegistryEnabled: { description: 'Whether the project has a container registry.', defaultValue: true },
  sharedRunnersEnabled: { description: 'Whether shared runners run its jobs.', defaultValue: true },
  lfsEnabled: { description: 'Whether large file storage is on.', defaultValue: true },
  publicJobs: { description: 'Whether everybody who sees the project sees its jobs.', defaultValue: true },
  requestAccessEnabled: { description: 'Whether users may ask for access.', defaultValue: false },
  onlyAllowMergeIfPipelineSucceeds: {
    description: 'Whether merge requests are merged only after their pipeline has succeeded.',
    defaultValue: false,
  },
  onlyAllowMergeIfAllDiscussionsAreResolved: {
    description: 'Whether merge requests are merged only after all their discussions are resolved.',
    defaultValue: false,
  },
};

/** The fields of the switches, made one by one. */
function switches<F>(field: (options: (typeof SWITCHES)[Switch]) => F): Record<Switch, F> {
  return Object.fromEntries(Object.entries(SWITCHES).map(([name, options]) => [name, field(options)])) as never;
}

const texts = (t: InputFields) => ({
  name: t.string({ description: 'Name that people read; for a new project made from the path when left out.' }),
  path: t.string({
    description: 'The part of addresses that names the project; for a new project made from the name when left out.',
  }),
  description: t.string({ description: 'Text that says what the project is for; at most 2000 characters.' }),
  defaultBranch: t.string({ description: 'Name of the branch that is shown first and cloned.' }),
  tagList: t.stringList({ description: 'Words that describe the project; at most 100.' }),
});

const created = (t: InputFields) => ({
  ...texts(t),
  ...switches((options) => t.boolean({ ...options, required: true })),
  visibility: t.field({
    type: Visibility,
    description:
      'Who may see the project; when left out, what the settings of the server say, as far as its group allows.',
  }),
  importUrl: t.string({
    description:
      'Address of the repository that a job imports, over HTTP or HTTPS, perhaps with a user name and a password in it.',
  }),
});

export const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project. One of name and path is required; the other is made from it.',
  fields: (t) => ({
    ...created(t),
    namespace: t.field({
      type: 'NamespaceRef',
      description:
        'The namespace of the project, for masters of a group; the personal one of the caller when left out.',
    }),
  }),
});

export const CreateProjectForUserInput = builder.inputType('CreateProjectForUserInput', {
  description: 'A new project of another user. One of name and path is required; the other is made from it.',
  fields: (t) => ({
    userId: t.field({
      ...idOf('User'),
      required: true,
      description: 'ID of the user whose personal namespace gets the project.',
    }),
    ...created(t),
  }),
});

export const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description:
    'Changes to a project: what is left out stays as it is, null clears description, default branch and tags. Another name, path or visibility is for owners.',
  fields: (t) => ({
    project: projectField(t, 'to change'),
    ...texts(t),
    ...switches(({ description }) => t.boolean({ description })),
    visibility: t.field({ type: Visibility, description: 'Who may see the project: no more than see its group.' }),
  }),
});

/** An input that names a project and says no more; `what` follows "The project". */
export function projectInput(name: string, what: string) {
  return builder.inputType(name, {
    description: `The project ${what}.`,
    fields: (t) => ({ project: projectField(t, what) }),
  });
}

export const ForkProjectInput = builder.inputType('ForkProjectInput', {
  description: 'Which project to fork, and into which namespace.',
  fields: (t) => ({
    project: projectField(t, 'to fork'),
    namespace: t.field({
      type: 'NamespaceRef',
      description: 'The namespace that gets the fork; the personal one of the caller when left out.',
    }),
  }),
});

export const LinkForkInput = builder.inputType('LinkForkInput', {
  description: 'Which project becomes a fork of which.',
  fields: (t) => ({
    project: projectField(t, 'that becomes a fork'),
    forkedFrom: projectField(t, 'that it becomes a fork of'),
  }),
});

export const ShareProjectInput = builder.inputType('ShareProjectInput', {
  description: 'Which group gets access to a project, and how much.',
  fields: (t) => ({
    project: projectField(t, 'to share'),
    group: groupField(t, 'whose members get access'),
    accessLevel: t.field({
      type: AccessLevel,
      required: true,
      description: 'The highest level that members of the group get: up to MASTER.',
    }),
    expiresAt: t.field({
      type: 'Date',
      description: 'First day (UTC) on which the share gives no access; it does not end when null or left out.',
    }),
  }),
});

export const UnshareProjectInput = builder.inputType('UnshareProjectInput', {
  description: 'Which group loses its access to a project.',
  fields: (t) => ({
    project: projectField(t, 'that was shared'),
    groupId: t.field({
      ...idOf('Group'),
      required: true,
      description: 'Global ID of the group that loses its access, or its numeric one.',
    }),
  }),
});
