/** A piece of a sentence: a text as users wrote it, or a link. Each service escapes it in its own way. */
export type Part = string | { text: string; url: string };

export type Tone = 'neutral' | 'good' | 'bad';

/** What is announced of an event, for any chat. */
export interface Message {
  /** One sentence. */
  title: readonly Part[];
  /** What is shown below it. */
  lines: readonly (readonly Part[])[];
  tone: Tone;
}
