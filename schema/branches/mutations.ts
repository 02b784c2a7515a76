import { Branch } from '#schema/branches/types.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { fromProject } from '#schema/places/parents.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { deleteBranch } from '#src/domain/repository/branches/delete.ts';
import type { BranchRow } from '#src/domain/repository/branches/list.ts';
import { deleteMergedBranches } from '#src/domain/repository/branches/merged.ts';
import { protectBranch, unprotectBranch } from '#src/domain/repository/branches/protect.ts';

const branch = (t: InputFields) => ({
  project: projectField(t, 'of the branch'),
  name: t.string({ required: true, description: 'Name of the branch, without `refs/heads/`.' }),
});

const branchPayload: Payload<{ branch: BranchRow }> = {
  description: 'The branch after the mutation.',
  fields: (t) => ({ branch: t.expose('branch', { type: Branch, description: 'The branch as it is now.' }) }),
};

mutation('createBranch', {
  description: 'Creates a branch. For developers.',
  input: {
    description: 'A new branch and where it begins.',
    argument: 'Name of the branch and where it begins.',
    fields: (t) => ({
      ...branch(t),
      ref: t.string({
        required: true,
        description:
          'Where it begins: a branch, a tag or the hash of a commit, also with steps behind it, such as `master~1`.',
      }),
    }),
  },
  resolve: async ({ project, name, ref }, context) => ({ branch: await createBranch(context, project, name, ref) }),
  payload: branchPayload,
});

mutation('deleteBranch', {
  description: 'Deletes a branch. The default branch and protected branches cannot be deleted. For developers.',
  input: { description: 'Which branch to delete.', argument: 'Names the branch to delete.', fields: branch },
  resolve: async ({ project, name }, context) => {
    await deleteBranch(context, project, name);
    return { name };
  },
  payload: {
    from: fromProject,
    description: 'The branch that was deleted.',
    fields: (t) => ({
      deletedBranchName: t.exposeString('name', {
        description: 'Name of the branch that was deleted; it can be used again.',
      }),
    }),
  },
});

mutation('protectBranch', {
  description:
    'Protects a branch, so that only masters can push and merge, or changes what developers can do. For masters of the project.',
  input: {
    description:
      'Which branch to protect, and what developers can still do. Values that are left out are false for a branch that was not protected, and otherwise keep their value.',
    argument: 'Names the branch, and what developers may do.',
    fields: (t) => ({
      ...branch(t),
      developersCanPush: t.boolean({ description: 'Whether developers can still push to the branch.' }),
      developersCanMerge: t.boolean({ description: 'Whether developers can still merge into the branch.' }),
    }),
  },
  resolve: ({ project, name, ...changes }, context) => protectBranch(context, project, name, changes),
  payload: toldChanged(branchPayload),
});

mutation('unprotectBranch', {
  description: 'Removes the protection of a branch; a pattern may still protect it. For masters of the project.',
  input: { description: 'Which branch to unprotect.', argument: 'Names the branch to unprotect.', fields: branch },
  resolve: ({ project, name }, context) => unprotectBranch(context, project, name),
  payload: toldChanged(branchPayload),
});

mutation('deleteMergedBranches', {
  description:
    'Queues a job that deletes the branches that are merged into the default branch, except for protected ones and those of open merge requests. For developers.',
  input: {
    description: 'The project whose merged branches are deleted.',
    argument: 'Names the project whose merged branches are deleted.',
    fields: (t) => ({ project: projectField(t, 'whose merged branches are deleted') }),
  },
  resolve: async ({ project }, context) => {
    await deleteMergedBranches(context, project);
    return { accepted: true };
  },
  payload: {
    description: 'Confirmation that the deletion was queued as a background job.',
    fields: (t) => ({ accepted: t.exposeBoolean('accepted', { description: 'True once the job is queued.' }) }),
  },
});
