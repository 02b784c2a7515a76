import { builder } from '#schema/builder.ts';
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
  description: 'A file for a project.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    file: t.field({ type: 'Upload', required: true, description: 'The file itself.' }),
  }),
});

const UploadFilePayload = builder.objectRef<{ upload: UploadRow }>('UploadFilePayload').implement({
  description: 'What was uploaded.',
  fields: (t) => ({ upload: t.expose('upload', { type: Uploaded, description: 'The file.' }) }),
});

builder.mutationFields((t) => ({
  uploadFile: t.field({
    type: UploadFilePayload,
    description: 'Attaches a file to a project; its size is limited by the settings.',
    args: { input: t.arg({ type: UploadFileInput, required: true, description: 'Where, and what.' }) },
    resolve: async (_root, { input: { project, file } }, context) => ({
      upload: await createUpload(context, project, file),
    }),
  }),
}));
