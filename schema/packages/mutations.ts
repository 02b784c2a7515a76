import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { PackageFile, PackageStatus } from '#schema/packages/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { publishedFile } from '#src/domain/packages/list.ts';
import { type PublishedFile, publishFile } from '#src/domain/packages/publish.ts';
import { deletePackage, deletePackageFile } from '#src/domain/packages/remove.ts';

const PublishPackageFileInput = builder.inputType('PublishPackageFileInput', {
  description: 'A file of a generic package, which is created with its first one.',
  fields: (t) => ({
    project: projectField(t, 'that publishes the package'),
    packageName: t.string({ required: true, description: 'Name of the package: letters, digits and `._-+`.' }),
    packageVersion: t.string({ required: true, description: 'Version of the package: letters, digits and `._-+`.' }),
    fileName: t.string({
      required: true,
      description: 'Name of the file, with folders; of several with one name the newest is downloaded.',
    }),
    status: t.field({ type: PackageStatus, description: 'Whether the package is shown in lists.' }),
    file: t.field({
      type: 'Upload',
      required: true,
      description: 'The file itself, sent as described in the GraphQL multipart request specification.',
    }),
  }),
});

const DeletePackageInput = builder.inputType('DeletePackageInput', {
  description: 'Which package to delete.',
  fields: (t) => ({
    project: projectField(t, 'of the package'),
    id: t.field({ ...idOf('Package'), required: true, description: 'Numeric ID of the package.' }),
  }),
});

const DeletePackageFileInput = builder.inputType('DeletePackageFileInput', {
  description: 'Which file of a package to delete.',
  fields: (t) => ({
    project: projectField(t, 'of the package'),
    packageId: t.field({ ...idOf('Package'), required: true, description: 'Numeric ID of the package.' }),
    id: t.field({ ...idOf('PackageFile'), required: true, description: 'Numeric ID of the file.' }),
  }),
});

const PublishPackageFilePayload = builder.objectRef<PublishedFile>('PublishPackageFilePayload').implement({
  description: 'The file that was published.',
  fields: (t) => ({
    file: t.field({
      type: PackageFile,
      description: 'The file as it was recorded.',
      resolve: ({ id }, _args, context, info) => publishedFile(context, id, selectionAt(info, 'PackageFile')),
    }),
  }),
});

const DeletePackagePayload = builder.objectRef<{ id: number }>('DeletePackagePayload').implement({
  description: 'The package that was deleted.',
  fields: (t) => ({
    deletedPackageId: t.id({
      description: 'Global ID of the package that was deleted.',
      resolve: ({ id }) => toGlobalId('Package', id),
    }),
  }),
});

const DeletePackageFilePayload = builder.objectRef<{ id: number }>('DeletePackageFilePayload').implement({
  description: 'The file that was deleted.',
  fields: (t) => ({
    deletedPackageFileId: t.id({
      description: 'Global ID of the file that was deleted.',
      resolve: ({ id }) => toGlobalId('PackageFile', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  publishPackageFile: t.field({
    type: PublishPackageFilePayload,
    description: 'Publishes a file of a generic package. For developers.',
    args: {
      input: t.arg({ type: PublishPackageFileInput, required: true, description: 'Names the package, and the file.' }),
    },
    resolve: (_root, { input: { project, packageName: name, packageVersion: version, ...given } }, context) =>
      publishFile(context, project, { name, version, ...given }),
  }),
  deletePackage: t.field({
    type: DeletePackagePayload,
    description: 'Deletes a version of a package with its files. For masters.',
    args: { input: t.arg({ type: DeletePackageInput, required: true, description: 'Names the package to delete.' }) },
    resolve: async (_root, { input: { project, id } }, context) => ({ id: await deletePackage(context, project, id) }),
  }),
  deletePackageFile: t.field({
    type: DeletePackageFilePayload,
    description: 'Deletes a file of a package, which stays, even if it is empty then. For masters.',
    args: { input: t.arg({ type: DeletePackageFileInput, required: true, description: 'Names the file to delete.' }) },
    resolve: async (_root, { input: { project, ...which } }, context) => ({
      id: await deletePackageFile(context, project, which),
    }),
  }),
}));
