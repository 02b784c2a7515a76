import type { Follower } from '#src/domain/changes/record.ts';
import { requestMail } from '#src/domain/notifications/mailing/request.ts';
import { mailOf } from '#src/domain/notifications/mailing/subject_mail.ts';

/** Enqueues mail about issues, merge requests and pipelines. */
export const mail: Follower = {
  async subjectChanged(tx, context, change) {
    await requestMail(tx, context, mailOf(change));
  },
  async noteWritten(tx, context, { author, noteable: { type, id, project }, noteId, text, ...how }) {
    if (type === 'Snippet' || text.from !== null || (how.inReview && !how.isInternal)) return;
    const mailed = { projectId: project.id, subject: { type, id }, actorId: author.id, noteId };
    await requestMail(tx, context, [{ event: 'newNote', ...mailed }]);
  },
  async reviewPublished(tx, context, { author, mergeRequest: { type, id, project }, noteIds }) {
    const [noteId] = noteIds;
    if (noteId === undefined) return;
    const mailed = { projectId: project.id, subject: { type, id }, actorId: author.id, noteId, noteIds: [...noteIds] };
    await requestMail(tx, context, [{ event: 'newNote', ...mailed }]);
  },
  async pipelineChanged(tx, context, { pipeline: { id: pipelineId, projectId }, status, hasEnded }) {
    if (!hasEnded || (status !== 'success' && status !== 'failed')) return;
    const event = status === 'success' ? 'successPipeline' : 'failedPipeline';
    await requestMail(tx, context, [{ event, projectId, pipelineId }]);
  },
};
