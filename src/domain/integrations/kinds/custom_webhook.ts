import { BRANCHES, branchOf, concernsBranch, ONLY_BROKEN } from '#src/domain/integrations/base/branches.ts';
import type { Answer, Kind } from '#src/domain/integrations/base/kind.ts';
import { CHAT_EVENTS } from '#src/domain/integrations/chat/notify.ts';
import { filledTemplate, TemplateFailed, wrongTemplate } from '#src/platform/outbound/json_template.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Sends what a template makes of the payloads of events to any program. */
export const customWebhook: Kind = {
  slug: 'custom-webhook',
  title: label('Custom webhook'),
  description: label('Sends events to any program, as JSON made by a template.'),
  events: [...CHAT_EVENTS, 'job_events'],
  quiet: ['deployment_events', 'job_events'],
  fields: [
    {
      name: 'webhook',
      title: label('URL'),
      type: 'url',
      hint: label('Where events are sent by POST.'),
      required: true,
      secret: true,
      reached: true,
    },
    {
      name: 'template',
      title: label('Template'),
      type: 'long_text',
      hint: label('JSON in which names in double braces stand for values of the payload of a webhook.'),
      required: true,
      check: wrongTemplate,
    },
    {
      name: 'authorization',
      title: label('Authorization'),
      type: 'text',
      hint: label('Value of the Authorization header, such as “Bearer …”.'),
      secret: true,
      check: (text) => (/^[\x20-\x7e]+$/.test(text) ? [] : ['must hold only characters that an HTTP header can hold']),
    },
    ONLY_BROKEN,
    BRANCHES,
  ],
  tell: async (told, { send, isProtected }) => {
    const { kind, payload, settings } = told;
    const isLeftOut = settings[ONLY_BROKEN.name] === true && payload.object_attributes?.status !== 'failed';
    if ((kind === 'pipeline' && isLeftOut) || !(await concernsBranch(told, branchOf(told), { isProtected })))
      return null;
    const { webhook, template, authorization } = settings;
    try {
      const body = filledTemplate(String(template), JSON.stringify(payload));
      return await send({
        url: String(webhook),
        body,
        headers: authorization ? { authorization: String(authorization) } : {},
      });
    } catch (error) {
      if (error instanceof TemplateFailed) return failed(error.message);
      throw error;
    }
  },
};

/** An attempt that sent nothing. */
export function failed(error: string): Answer {
  return { succeeded: false, status: null, headers: null, body: null, duration: 0, error };
}
