import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { Project } from '#schema/projects/types.ts';
import { createProject, SWITCHES } from '#src/projects/create.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project. One of name and path is required; the other is made from it.',
  fields: (t) => ({
    name: t.string({ description: 'What people call it.' }),
    path: t.string({ description: 'Its part of addresses.' }),
    description: t.string({ description: 'What it is for.' }),
    namespaceId: t.int({ description: 'Numeric ID of the namespace; the personal one when nothing is said.' }),
    visibility: t.field({ type: Visibility, description: 'Who may see it; private when nothing is said.' }),
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
  }),
});

const CreateProjectPayload = builder.objectRef<{ project: ProjectRow }>('CreateProjectPayload').implement({
  description: 'The project that was created.',
  fields: (t) => ({ project: t.expose('project', { type: Project, description: 'The new project.' }) }),
});

builder.mutationFields((t) => ({
  createProject: t.field({
    type: CreateProjectPayload,
    description: 'Creates a project.',
    args: { input: t.arg({ type: CreateProjectInput, required: true, description: 'The new project.' }) },
    resolve: async (_root, { input }, context) => {
      const given = SWITCHES.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]]));
      return { project: await createProject(context, { ...input, switches: Object.fromEntries(given) }) };
    },
  }),
}));
