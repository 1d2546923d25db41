/** Names of things that are counted in lists, by the words beside the numbers. */
const WORDS: Readonly<Record<string, string>> = {
  comments:
    'comment comments kommentar kommentare kommentarer commentaire commentaires comentario ' +
    'comentarios comentário comentários commento commenti reactie reacties ' +
    'комментарий комментария комментариев ' +
    'комментарии komentarz komentarze komentarzy yorum',
  replies:
    'reply replies antwort antworten réponse réponses respuesta respuestas resposta ' +
    'respostas risposta risposte antwoord antwoorden ответ ответа ответов ' +
    'ответы svar odpowiedź odpowiedzi',
  views:
    'view views hit hits aufruf aufrufe zugriffe vue vues vus visita visitas vistas visite ' +
    'visualizações visualizaciones visualizzazioni weergaven просмотр ' +
    'просмотра просмотров просмотры visningar visninger ' +
    'wyświetleń odsłon',
  reviews:
    'review reviews bewertung bewertungen avis reseña reseñas opinión opiniones ' +
    'avaliação avaliações recensione recensioni beoordeling beoordelingen отзыв ' +
    'отзыва отзывов отзывы opinii',
  ratings: 'rating ratings',
  votes: 'vote votes stimme stimmen voto votos voti stemmen głosów',
  points: 'point points punkte',
  answers: 'answer answers',
  likes: 'like likes',
  downloads: 'download downloads téléchargements descargas',
  posts:
    'post posts beitrag beiträge message messages mensaje mensajes mensagem mensagens ' +
    'messaggio messaggi bericht berichten сообщение сообщения ' +
    'сообщений wpisów postów',
  topics:
    'topic topics thread threads thema themen sujet sujets tema temas tópico tópicos ' +
    'discussion discussions discussioni onderwerp onderwerpen тема темы тем ' +
    'wątków tematów',
}

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([name, words]) => words.split(' ').map((word) => [word, name])),
)

/** Further names of counted things. Most lists have no column for them. */
const OTHERS: ReadonlySet<string> = new Set(
  (
    'people persons users visitors customers followers subscribers members downloads installs ' +
    'plays streams copies personen nutzer abonnenten personnes abonnés personas pessoas ' +
    'suscriptores seguidores persone ' +
    'человек пользователей подписчиков подписчика'
  ).split(' '),
)
/** These may have fractions. */
const MEASURED = /^(?:rating|point|punkte)/

/** Matches a word after a number, with the signs that may be between the two. */
const WORD_AFTER = /^\+?\s?[-–]?\s?(\p{L}{3,20})(?!\p{L})/u

/**
 * The thing that a number with this word counts, as the name of a column: `Kommentare` →
 * `comments`.
 */
export function countedName(word: string): string | undefined {
  return NAMES.get(word.toLowerCase())
}

/** Words that may stand before a word in the name of a column. */
const NAME_START = /^(?:total|(?:number|no\.?) of|#|anzahl|nombre de|número de)\s/iu

/** True if a column of this name has counts, which have no fractions: `Views`, `Number of replies`. */
export function isCountName(name: string): boolean {
  return isCountWord(name.trim().replace(NAME_START, '').toLowerCase())
}

/** True if the text after a number says that it counts something, which has no fractions. */
export function isCounted(after: string): boolean {
  return isCountWord(WORD_AFTER.exec(after)?.[1]?.toLowerCase() ?? '')
}

function isCountWord(word: string): boolean {
  return OTHERS.has(word) || (NAMES.has(word) && !MEASURED.test(word))
}
