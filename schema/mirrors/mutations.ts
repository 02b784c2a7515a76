import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { RemoteMirror } from '#schema/mirrors/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
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

const CreateRemoteMirrorInput = builder.inputType('CreateRemoteMirrorInput', {
  description: 'A repository that is to get what is pushed to a project.',
  fields: (t) => ({
    project: projectField(t, 'that is mirrored'),
    url: t.string({
      required: true,
      description: 'URL that begins with `http://` or `https://`, with user name and password if they are needed.',
    }),
    ...values(t),
  }),
});

const UpdateRemoteMirrorInput = builder.inputType('UpdateRemoteMirrorInput', {
  description: 'Changes to a mirror. What is left out stays as it is.',
  fields: (t) => ({ ...which(t), ...values(t) }),
});

const SyncRemoteMirrorInput = builder.inputType('SyncRemoteMirrorInput', {
  description: 'Which mirror to update now.',
  fields: which,
});

const DeleteRemoteMirrorInput = builder.inputType('DeleteRemoteMirrorInput', {
  description: 'Which mirror to remove.',
  fields: which,
});

function mirrorPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The mirror after the mutation.',
    fields: (t) => ({
      remoteMirror: t.field({
        type: RemoteMirror,
        description: 'The mirror as it is now.',
        resolve: ({ project, id }, _args, context, info) =>
          findMirror(context, project, id, selectionAt(info, 'RemoteMirror')),
      }),
    }),
  });
}

const DeleteRemoteMirrorPayload = builder.objectRef<{ id: number }>('DeleteRemoteMirrorPayload').implement({
  description: 'The mirror that was removed.',
  fields: (t) => ({
    deletedRemoteMirrorId: t.id({
      description: 'Global ID of the mirror that was removed.',
      resolve: ({ id }) => toGlobalId('RemoteMirror', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createRemoteMirror: t.field({
    type: mirrorPayload('createRemoteMirror'),
    description: 'Adds a push mirror to a project. For masters of the project.',
    args: { input: t.arg({ type: CreateRemoteMirrorInput, required: true, description: 'Says where the mirror is.' }) },
    resolve: (_root, { input: { project, ...mirror } }, context) => createMirror(context, project, mirror),
  }),
  updateRemoteMirror: t.field({
    type: mirrorPayload('updateRemoteMirror'),
    description: 'Changes a push mirror, except its URL. For masters of the project.',
    args: {
      input: t.arg({
        type: UpdateRemoteMirrorInput,
        required: true,
        description: 'Names the mirror, and the changes.',
      }),
    },
    resolve: async (_root, { input }, context) =>
      updateMirror(context, await projectHolding(context, 'RemoteMirror', input), input.id, input),
  }),
  syncRemoteMirror: t.field({
    type: mirrorPayload('syncRemoteMirror'),
    description: 'Has a push mirror updated now. For masters of the project.',
    args: { input: t.arg({ type: SyncRemoteMirrorInput, required: true, description: 'Names the mirror to update.' }) },
    resolve: async (_root, { input }, context) =>
      syncMirror(context, await projectHolding(context, 'RemoteMirror', input), input.id),
  }),
  deleteRemoteMirror: t.field({
    type: DeleteRemoteMirrorPayload,
    description: 'Removes a push mirror; what was pushed to it stays there. For masters of the project.',
    args: {
      input: t.arg({ type: DeleteRemoteMirrorInput, required: true, description: 'Names the mirror to remove.' }),
    },
    resolve: async (_root, { input }, context) => {
      await deleteMirror(context, await projectHolding(context, 'RemoteMirror', input), input.id);
      return input;
    },
  }),
}));
