import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { createUpload, type UploadRow } from '#src/uploads/create.ts';

const Uploaded = builder.objectRef<UploadRow>('UploadedFile').implement({
  description: 'How an uploaded file is referred to.',
  fields: (t) => ({
    alt: t.exposeString('alt', { description: 'What to call it.' }),
    url: t.exposeString('url', { description: 'Below the address of the project.' }),
    markdown: t.exposeString('markdown', { description: 'For descriptions and comments.' }),
  }),
});

const UploadFileInput = builder.inputType('UploadFileInput', {
  description: 'A file to attach to a project.',
  fields: (t) => ({
    project: projectField(t, 'that gets the file'),
    file: t.field({
      type: 'Upload',
      required: true,
      description: 'The file itself, as the multipart request specification sends it.',
    }),
  }),
});

const UploadFilePayload = builder.objectRef<{ upload: UploadRow }>('UploadFilePayload').implement({
  description: 'The file that was uploaded.',
  fields: (t) => ({
    upload: t.expose('upload', { type: Uploaded, description: 'How the file is linked to.' }),
  }),
});

builder.mutationFields((t) => ({
  uploadFile: t.field({
    type: UploadFilePayload,
    description:
      'Attaches a file to a project. For those who may comment on it. The settings of the server limit its size.',
    args: { input: t.arg({ type: UploadFileInput, required: true, description: 'Names the project, and the file.' }) },
    resolve: async (_root, { input: { project, file } }, context) => ({
      upload: await createUpload(context, project, file),
    }),
  }),
}));
