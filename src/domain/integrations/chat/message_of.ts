import type { Told } from '#src/domain/integrations/base/kind.ts';
import type { Message } from '#src/domain/integrations/chat/message.ts';
import { messageOfDeployment, messageOfPipeline } from '#src/domain/integrations/chat/of_ci.ts';
import { messageOfPush } from '#src/domain/integrations/chat/of_push.ts';
import { messageOfNote, messageOfSubject, messageOfWikiPage } from '#src/domain/integrations/chat/of_record.ts';

/** The message of an event; null if there is nothing to announce of it. */
export function messageOf(told: Told): Message | null {
  switch (told.kind) {
    case 'push':
    case 'tag_push':
      return messageOfPush(told);
    case 'issue':
    case 'confidential_issue':
    case 'merge_request':
      return messageOfSubject(told);
    case 'note':
    case 'confidential_note':
      return messageOfNote(told);
    case 'pipeline':
      return messageOfPipeline(told);
    case 'wiki_page':
      return messageOfWikiPage(told);
    case 'deployment':
      return messageOfDeployment(told);
    case 'job':
      return null;
  }
}
