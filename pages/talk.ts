import { path } from '#pages/engine/helpers.ts';
import { localPath } from '#pages/engine/page.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { PLACES } from '#pages/place.ts';
import {
  SendAwardBackDocument,
  SendAwardDocument,
  SendTaskDocument,
  SendUploadDocument,
  UploadPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The page that a form was sent from. */
const back = (_data: unknown, { given }: Facts) => localPath(given.back, path(String(given.project)));

const upload = page({
  path: `${PLACES.project}/uploads/new`,
  operation: UploadPageDocument,
  view: 'notes/upload',
  found: ({ project }) => project,
  title: (project, { t }) => `${t('Attach a file')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: '' }),
  signIn: true,
});

/** What is done with texts of issues and merge requests, and with their notes. */
export const talk = [
  upload,
  form({
    path: upload.path,
    operation: SendUploadDocument,
    takesFiles: true,
    says: null,
    goTo: (_data, { given }) => path(String(given.project)),
    shows: ({ uploadFile }, { given, t }) =>
      uploadFile && {
        view: 'notes/uploaded',
        title: t('Attach a file'),
        values: { upload: uploadFile.upload, fullPath: String(given.project) },
      },
    again: upload,
  }),
  form({
    path: `${PLACES.project}/awards`,
    operation: SendAwardDocument,
    names: { 'on[id]': 'on' },
    required: ['on'],
    says: label('Your reaction was added.'),
    goTo: back,
  }),
  form({
    path: `${PLACES.project}/awards/:award/take_back`,
    operation: SendAwardBackDocument,
    names: { id: 'award', 'on[id]': 'on' },
    says: label('Your reaction was taken back.'),
    goTo: back,
  }),
  form({
    path: `${PLACES.project}/tasks`,
    operation: SendTaskDocument,
    says: (_data, { given }) =>
      String(given.done) === 'true' ? label('The task is done.') : label('The task is open again.'),
    goTo: back,
  }),
];
