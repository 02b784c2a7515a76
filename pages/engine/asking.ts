import type { Visit } from '#pages/engine/visit.ts';

/** What a page asks before something is done that cannot be taken back, in the reader's language. */
export interface Question {
  heading: string;
  /** Paragraphs of what it means: what goes, and what stays. */
  says: readonly string[];
  button: string;
  /** Path to which those go who do not want it. */
  back: string;
}

/** What the form that was sent calls what goes, as its page showed it: the field `named`, or another one that names it. */
export function named(given: Readonly<Record<string, unknown>>, field = 'named'): string {
  const name = given[field];
  return typeof name === 'string' ? name : '';
}

/** The field by which the form of a question differs from the one that led to it. */
const CONFIRMED = 'confirmed';

/** Whether a form says that its sender was asked. */
export function isConfirmed(given: Readonly<Record<string, unknown>>): boolean {
  return given[CONFIRMED] === 'true';
}

/** The fields of a form that its question sends again. */
export function fieldsKept(body: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(body)
    .filter(([name]) => name !== 'authenticity_token' && name !== CONFIRMED)
    .flatMap(([name, value]) => [value].flat().flatMap((one) => (typeof one === 'string' ? [[name, one]] : []))) as [
    string,
    string,
  ][];
}

/** Asks in place of doing what a form was sent for. The answer is the form once more, with what was sent and the confirmation. */
export function ask(visit: Visit, question: Question): void {
  const { originalUrl, body } = visit.request;
  const shown = { question, action: originalUrl, fields: fieldsKept(body ?? {}) };
  visit.show('ask', { title: question.heading }, shown);
}
