import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Release, Tag } from '#schema/tags/types.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { deleteTag } from '#src/domain/repository/tags/delete.ts';
import type { ReleaseRow, TagRow } from '#src/domain/repository/tags/list.ts';
import { createRelease, deleteRelease, updateRelease } from '#src/domain/repository/tags/release.ts';

const tag = (t: InputFields) => ({
  project: projectField(t, 'of the tag'),
  name: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
});

const CreateTagInput = builder.inputType('CreateTagInput', {
  description: 'A new tag, and the commit that it points to.',
  fields: (t) => ({
    ...tag(t),
    ref: t.string({
      required: true,
      description:
        'What it points to: a branch, a tag or the hash of a commit, also with steps behind it, such as `master~1`.',
    }),
    message: t.string({ description: 'Message of an annotated tag. Without a message the tag is lightweight.' }),
    releaseDescription: t.string({ description: 'Release notes for the tag, in Markdown.' }),
  }),
});

const DeleteTagInput = builder.inputType('DeleteTagInput', {
  description: 'Which tag to delete.',
  fields: tag,
});

const release = (t: InputFields) => ({
  project: projectField(t, 'of the tag'),
  tag: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
  description: t.string({ required: true, description: 'The release notes, in Markdown.' }),
});

const CreateReleaseInput = builder.inputType('CreateReleaseInput', {
  description: 'Release notes for a tag that has none.',
  fields: release,
});

const UpdateReleaseInput = builder.inputType('UpdateReleaseInput', {
  description: 'New release notes for a tag that already has some.',
  fields: release,
});

const DeleteReleaseInput = builder.inputType('DeleteReleaseInput', {
  description: 'The tag whose release notes to delete.',
  fields: (t) => ({
    project: projectField(t, 'of the tag'),
    tag: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
  }),
});

const CreateTagPayload = builder.objectRef<{ tag: TagRow }>('CreateTagPayload').implement({
  description: 'The tag that was created.',
  fields: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag with its release notes.' }) }),
});

const DeleteTagPayload = builder.objectRef<{ name: string }>('DeleteTagPayload').implement({
  description: 'The tag that was deleted.',
  fields: (t) => ({ deletedTagName: t.exposeString('name', { description: 'Name of the tag that was deleted.' }) }),
});

const DeleteReleasePayload = builder.objectRef<{ tag: string }>('DeleteReleasePayload').implement({
  description: 'The release notes that were deleted.',
  fields: (t) => ({
    deletedReleaseTagName: t.exposeString('tag', { description: 'Name of the tag, which has no release notes now.' }),
  }),
});

function releasePayload(mutation: string) {
  return builder.objectRef<{ release: ReleaseRow }>(namesOf(mutation).payload).implement({
    description: 'The release notes after the mutation.',
    fields: (t) => ({
      release: t.expose('release', { type: Release, description: 'The release notes as they are now.' }),
    }),
  });
}

builder.mutationFields((t) => ({
  createTag: t.field({
    type: CreateTagPayload,
    description: 'Creates a tag. For developers.',
    args: {
      input: t.arg({ type: CreateTagInput, required: true, description: 'Name of the tag and what it points to.' }),
    },
    resolve: async (_root, { input: { project, ref, ...values } }, context) => ({
      tag: await createTag(context, project, { target: ref, ...values }),
    }),
  }),
  deleteTag: t.field({
    type: DeleteTagPayload,
    description: 'Deletes a tag with its release notes. For developers.',
    args: { input: t.arg({ type: DeleteTagInput, required: true, description: 'Names the tag to delete.' }) },
    resolve: async (_root, { input: { project, name } }, context) => {
      await deleteTag(context, project, name);
      return { name };
    },
  }),
  createRelease: t.field({
    type: releasePayload('createRelease'),
    description: 'Writes release notes for a tag that has none. For developers. CONFLICT when it has some.',
    args: { input: t.arg({ type: CreateReleaseInput, required: true, description: 'Names the tag, and its notes.' }) },
    resolve: async (_root, { input: { project, tag, description } }, context) => ({
      release: await createRelease(context, project, tag, description),
    }),
  }),
  updateRelease: t.field({
    type: releasePayload('updateRelease'),
    description: 'Changes the release notes of a tag. For developers.',
    args: {
      input: t.arg({ type: UpdateReleaseInput, required: true, description: 'Names the tag, and its new notes.' }),
    },
    resolve: async (_root, { input: { project, tag, description } }, context) => ({
      release: await updateRelease(context, project, tag, description),
    }),
  }),
  deleteRelease: t.field({
    type: DeleteReleasePayload,
    description: 'Deletes the release notes of a tag, which stays. For developers.',
    args: {
      input: t.arg({ type: DeleteReleaseInput, required: true, description: 'Names the tag whose notes are deleted.' }),
    },
    resolve: async (_root, { input: { project, tag } }, context) => {
      await deleteRelease(context, project, tag);
      return { tag };
    },
  }),
}));
