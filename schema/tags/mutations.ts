import { type InputFields, projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { fromProject } from '#schema/places/parents.ts';
import { Tag } from '#schema/tags/types.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { deleteTag } from '#src/domain/repository/tags/delete.ts';

const tag = (t: InputFields) => ({
  project: projectField(t, 'of the tag'),
  name: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
});

mutation('createTag', {
  description: 'Creates a tag. For developers.',
  input: {
    description: 'A new tag, and the commit that it points to.',
    argument: 'Name of the tag and what it points to.',
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
  },
  resolve: async ({ project, ref, ...values }, context) => ({
    tag: await createTag(context, project, { target: ref, ...values }),
  }),
  payload: {
    description: 'The tag that was created.',
    fields: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag with its release notes.' }) }),
  },
});

mutation('deleteTag', {
  description: 'Deletes a tag with its release notes. For developers.',
  input: { description: 'Which tag to delete.', argument: 'Names the tag to delete.', fields: tag },
  resolve: async ({ project, name }, context) => {
    await deleteTag(context, project, name);
    return { name };
  },
  payload: {
    from: fromProject,
    description: 'The tag that was deleted.',
    fields: (t) => ({ deletedTagName: t.exposeString('name', { description: 'Name of the tag that was deleted.' }) }),
  },
});
