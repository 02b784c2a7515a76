import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { RemoteMirror } from '#schema/mirrors/types.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { findMirror } from '#src/domain/imports/mirrors/list.ts';
import { createMirror, deleteMirror, syncMirror, updateMirror } from '#src/domain/imports/mirrors/save.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const which = (t: InputFields) => ({
  project: holderField(t, 'mirror'),
  id: t.field({ ...idOf('RemoteMirror'), required: true, description: 'Global or numeric ID of the mirror.' }),
});

const values = (t: InputFields) => ({
  enabled: t.boolean({ description: 'Whether the mirror is updated after pushes; new ones are not when left out.' }),
  onlyProtectedBranches: t.boolean({ description: 'Whether protected branches alone are pushed, and no tags.' }),
  keepDivergentRefs: t.boolean({ description: 'Whether branches that have parted there stay as they are.' }),
  authMethod: t.string({ description: 'How the server signs in there: only `password` is supported.' }),
});

const mirrorPayload: Payload<ChangedRecord> = changed(
  'remoteMirror',
  RemoteMirror,
  'RemoteMirror',
  (context, { project, id }, selection) => findMirror(context, project, id, selection),
  'mirror',
);

mutation('createRemoteMirror', {
  description: 'Adds a push mirror to a project. For masters of the project.',
  input: {
    description: 'A repository that is to get what is pushed to a project.',
    argument: 'Says where the mirror is.',
    fields: (t) => ({
      project: projectField(t, 'that is mirrored'),
      url: t.string({
        required: true,
        description: 'URL that begins with `http://` or `https://`, with user name and password if they are needed.',
      }),
      ...values(t),
    }),
  },
  resolve: ({ project, ...mirror }, context) => createMirror(context, project, mirror),
  payload: mirrorPayload,
});

mutation('updateRemoteMirror', {
  description: 'Changes a push mirror, except its URL. For masters of the project.',
  input: {
    description: 'Changes to a mirror. What is left out stays as it is.',
    argument: 'Names the mirror, and the changes.',
    fields: (t) => ({ ...which(t), ...values(t) }),
  },
  resolve: async (input, context) =>
    updateMirror(context, await projectHolding(context, 'RemoteMirror', input), input.id, input),
  payload: mirrorPayload,
});

mutation('syncRemoteMirror', {
  description: 'Has a push mirror updated now. For masters of the project.',
  input: { description: 'Which mirror to update now.', argument: 'Names the mirror to update.', fields: which },
  resolve: async (input, context) =>
    syncMirror(context, await projectHolding(context, 'RemoteMirror', input), input.id),
  payload: mirrorPayload,
});

mutation('deleteRemoteMirror', {
  description: 'Removes a push mirror; what was pushed to it stays there. For masters of the project.',
  input: { description: 'Which mirror to remove.', argument: 'Names the mirror to remove.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'RemoteMirror', input);
    await deleteMirror(context, project, input.id);
    return { ...input, project };
  },
  payload: { ...deleted('RemoteMirror', 'mirror', 'removed'), from: fromProject },
});
