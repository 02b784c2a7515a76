import type * as helpers from '#pages/engine/helpers.ts';
import type { Shown } from '#pages/engine/render.ts';
import type { Markup, RichValues, Texts, TextValues } from '#src/platform/texts/texts.ts';

/** What templates have besides `it`, for scripts/check_views.ts: nothing of it is there when the server runs. */

export declare const h: typeof helpers & ReturnType<typeof helpers.spoken>;
export declare const page: Shown;
export declare function t<Text extends string, Values extends ValuesOfText<Text, TextValues[string]>>(
  text: Text,
  values?: Values,
): string;
export declare function rich<Text extends string, Values extends ValuesOfText<Text, RichValues[string]>>(
  text: Text,
  values?: Values,
): string;
export declare const language: Texts['language'];
export declare function markup(html: string): Markup;

/** What a text must be given: at least what it names in braces, where the text is written out. */
type ValuesOfText<Text extends string, Value> = string extends Text ? object : { [Name in NamesIn<Text>]: Value };

/** The names in a text, up to the first choice, whose cases have braces of their own. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends `${infer Counted},${string}`
    ? Counted
    : Name | NamesIn<Rest>
  : never;

/** `<%= … %>`: what is written is text, a number or a condition. */
export declare function $say(text: string | number | bigint | boolean): void;

/** `<%~ … %>`: markup. */
export declare function $raw(html: string): void;

interface View<Values> {
  default: (it: Values) => void;
}

type Views = Promise<View<never>>;

/** What a template must be given; of several templates, what each of them must be given. */
type Given<Of extends Views> = [Awaited<Of>] extends [View<infer Values>] ? Values : never;

/** Shows another template with its values. */
export declare function include<Of extends Views>(
  view: Of,
  ...it: object extends Given<Of> ? [it?: Given<Of>] : [it: Given<Of>]
): string;

/** Puts what the template shows within another, which gets its values. */
export declare function layout<Of extends Views>(view: Of, it: Omit<Given<Of>, 'body'>): void;
