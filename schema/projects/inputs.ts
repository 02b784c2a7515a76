import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

/** What can be said of a project whether it is there or not. */
const values = (t: InputFields) => ({
  name: t.string({ description: 'What people call it.' }),
  path: t.string({ description: 'Its part of addresses.' }),
  description: t.string({ description: 'What it is for.' }),
  defaultBranch: t.string({ description: 'The branch that is shown first.' }),
  tagList: t.stringList({ description: 'Words that describe it.' }),
  issuesEnabled: t.boolean({ description: 'Whether it has issues.' }),
  mergeRequestsEnabled: t.boolean({ description: 'Whether it has merge requests.' }),
  wikiEnabled: t.boolean({ description: 'Whether it has a wiki.' }),
  jobsEnabled: t.boolean({ description: 'Whether it has pipelines.' }),
  snippetsEnabled: t.boolean({ description: 'Whether it has snippets.' }),
  containerRegistryEnabled: t.boolean({ description: 'Whether it has a registry.' }),
  sharedRunnersEnabled: t.boolean({ description: 'Whether shared runners serve it.' }),
  lfsEnabled: t.boolean({ description: 'Whether large file storage is on.' }),
  publicJobs: t.boolean({ description: 'Whether whoever sees it sees its jobs.' }),
  requestAccessEnabled: t.boolean({ description: 'Whether users may ask for access.' }),
  onlyAllowMergeIfPipelineSucceeds: t.boolean({ description: 'Whether merging waits for a pipeline.' }),
  onlyAllowMergeIfAllDiscussionsAreResolved: t.boolean({ description: 'Whether merging waits for discussions.' }),
});

const newVisibility = (t: InputFields) =>
  t.field({ type: Visibility, description: 'Who may see it; the default of the settings when nothing is said.' });

const importUrl = (t: InputFields) =>
  t.string({
    description:
      'Where a job is to fetch its repository from, over HTTP or HTTPS, perhaps with a user name and a password in it.',
  });

export const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project. One of name and path is required; the other is made from it.',
  fields: (t) => ({
    ...values(t),
    visibility: newVisibility(t),
    importUrl: importUrl(t),
    namespaceId: t.int({ description: 'Numeric ID of the namespace; the personal one when nothing is said.' }),
  }),
});

export const CreateProjectForUserInput = builder.inputType('CreateProjectForUserInput', {
  description: 'A new project of another user. One of name and path is required; the other is made from it.',
  fields: (t) => ({
    userId: t.int({ required: true, description: 'Numeric ID of the user in whose personal namespace it is to be.' }),
    ...values(t),
    visibility: newVisibility(t),
    importUrl: importUrl(t),
  }),
});

export const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description:
    'Changes to a project: unset means unchanged, null clears description, default branch and tags. Another name or visibility is for owners.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    ...values(t),
    visibility: t.field({ type: Visibility, description: 'Who may see it.' }),
  }),
});

export const ProjectInput = builder.inputType('ProjectInput', {
  description: 'Which project.',
  fields: (t) => ({ project: t.field({ type: 'ProjectRef', required: true, description: 'ID or full path.' }) }),
});

export const ForkProjectInput = builder.inputType('ForkProjectInput', {
  description: 'What to copy, and where to.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    namespace: t.string({
      description: 'Numeric ID, full path, path or name of a namespace; the personal one when nothing is said.',
    }),
  }),
});

export const LinkForkInput = builder.inputType('LinkForkInput', {
  description: 'Which project is to be a fork of which.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'The fork.' }),
    forkedFrom: t.field({ type: 'ProjectRef', required: true, description: 'Its source.' }),
  }),
});

export const ShareProjectInput = builder.inputType('ShareProjectInput', {
  description: 'Access for a group.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    groupId: t.int({ required: true, description: 'Numeric ID of the group.' }),
    groupAccess: t.int({ required: true, description: 'The highest level that it gives: 10, 20, 30 or 40.' }),
    expiresAt: t.field({ type: 'Date', description: 'From this day on it gives nothing.' }),
  }),
});

export const UnshareProjectInput = builder.inputType('UnshareProjectInput', {
  description: 'Which access to take away.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    groupId: t.int({ required: true, description: 'Numeric ID of the group.' }),
  }),
});
