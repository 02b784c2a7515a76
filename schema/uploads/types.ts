import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { uploadFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { uploadOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findUploadAt, findUploadById, listUploads } from '#src/domain/uploads/list.ts';

const ProjectUpload = builder.prismaObject('Upload', {
  name: 'ProjectUpload',
  description: 'A file that was attached to a project.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the file, for `deleteUpload`.',
      resolve: ({ id }) => toGlobalId('Upload', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the file, as the REST API uses it.' }),
    fileName: t.exposeString('fileName', { description: 'Name of the file, as it is in its address.' }),
    size: t.field({
      type: 'Long',
      description: 'Size of the file, in bytes.',
      select: { size: true },
      resolve: ({ size }) => Number(size),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the file was attached.' }),
    uploadedBy: t.relation('user', {
      nullable: true,
      description: 'The user who attached the file; null once that account was deleted.',
    }),
  }),
});

const ProjectUploadConnection = connectionOf('ProjectUpload', ProjectUpload);

builder.objectFields(Project, (t) => ({
  uploads: t.field({
    type: ProjectUploadConnection,
    description: 'The files that were attached to the project, latest first. For its masters.',
    args: { ...pageArgs, ...uploadFilter, ...uploadOrder('ID', 'desc') },
    resolve: (project, args, context, info) =>
      pageBelow('Upload', project, args, context, info, (_context, projects, page, selection) =>
        listUploads(context, projects, page, selection),
      ),
  }),
  upload: t.field({
    type: ProjectUpload,
    description: 'A file that was attached to the project by its ID. For masters of the project.',
    args: { id: t.arg({ ...idOf('Upload'), required: true, description: 'Global or numeric ID of the file.' }) },
    resolve: (project, { id }, context, info) => findUploadById(context, project, id, selectionAt(info, 'Upload')),
  }),
  uploadAt: t.field({
    type: ProjectUpload,
    description: 'A file that was attached to the project by its address, for whoever sees the project.',
    args: {
      secret: t.arg.string({ required: true, description: 'The 32 hexadecimal digits in the address of the file.' }),
      fileName: t.arg.string({ required: true, description: 'The name at the end of the address.' }),
    },
    resolve: (project, address, context, info) => findUploadAt(context, project, address, selectionAt(info, 'Upload')),
  }),
}));
