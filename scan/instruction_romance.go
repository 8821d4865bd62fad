package scan

// Instructions in further languages with Latin script.

var french = lexicon{
	wish: `\b(?:veux|veut|voulons|souhaite|souhaitons|voudrais|aimerais|prefere|exige|attends|demande|desire|faut|faudrait|` +
		`ordonne) (?:absolument |toujours )?qu(?:e|')|\b(?:important|essentiel|obligatoire|necessaire|imperatif|` +
		`indispensable) qu(?:e|')|\b(?:tu dois|vous devez|tu devras|tu devrais)\b|\b(?:n'oublie pas|n'oubliez pas|pense a|` +
		`pensez a|veille a|veillez a|assure-toi|assurez-vous)\b|\b(?:ta|votre) (?:tache|mission|premiere etape|role)\b`,
	grant:  `\b(?:autoris\w+|permet\w*|permis|permission|approuv\w+|consent\w*|accord|accepte|de confiance)\b`,
	praise: `\b(?:recommand|promeu|promouv|vant|lou[ae]|conseill|encens)\w*`,
	every: `\b(?:chaque|chacune de (?:tes|vos)|toutes? (?:tes|vos|les)) (?:reponses?)\b|\b(?:chacun de (?:tes|vos)|tous (?:tes|` +
		`vos)) (?:messages|mails|courriels|textes)|\bchaque (?:reponse|message que tu|fois que (?:tu|vous) (?:repond|ecri|parl))|` +
		`\bchacune de (?:tes|vos) reponses|\b(?:fin|debut|bas) de (?:toutes? )?(?:tes|vos|chaque|chacune de tes|la) (?:reponses?|` +
		`messages?)|\b(?:quand|lorsque) (?:tu|vous) (?:repond|ecri)|\bdans (?:tes|vos) reponses|` +
		`\b(?:tes|vos) reponses (?:doivent|devront)|\bavant de (?:repondre|chaque reponse)|\bavant chaque reponse`,
	style: `\b(?:court|bref|breve|concis|long|detaill|simple|formel|francais|anglais|allemand|espagnol|phrase|emoji|poli|` +
		`amical|unite|metrique|ton|langue|paragraphe|tableau|mot|ligne|blague|exemple|resume|tuto|vouvo|nom|liste|markdown|gras)`,
	described: `\b(?:je lis|lis|lit|recois|recoit|verifie|corrige|aime|garde)\b.{0,20}\b(?:chaque|toutes?|tous)|\b(?:etaient|` +
		`etait|furent|merci)\b`,
	standing: `\b(?:toujours|desormais|dorenavant|a partir de maintenant|a partir d'aujourd'hui|des maintenant|a l'avenir|` +
		`chaque fois|a chaque fois|dans (?:toutes les|chaque|toute) (?:conversations?|discussions?|sessions?|echanges?|` +
		`chats?)(?: futures?| a venir)?|automatiquement|par defaut|sans exception|systematiquement|tous les (?:jours|mois|` +
		`matins)|chaque (?:jour|semaine|mois|matin|nuit|heure))\b`,
	asked: `\b(?:quand|lorsque|si|des que|chaque fois que|a chaque fois que) (?:je|j')`,
	others: `\b(?:quand|lorsque|lorsqu'|si|des qu'|des que|chaque fois que|chaque fois qu'|quand on|s') ?(?:quelqu'un|` +
		`un utilisateur|l'utilisateur|les utilisateurs|un client|le client|les clients|une personne|on te|on vous|des gens|` +
		`un visiteur)\b.{0,30}(?:demand|parl|mention|veu|cherch|interrog|question|besoin)`,
	act: `\b(?:envoie|envoyez|transfere|transferez|transmets|transmettez|paie|paye|payez|execute|executez|lance|lancez|` +
		`installe|installez|telecharge|telechargez|ouvre|ouvrez|visite|visitez|clique|cliquez|appelle (?:le|la|cet|cette)|publie|` +
		`publiez|partage|partagez|exporte|copie|copiez|supprime|supprimez|efface|achete|achetez|commande|reserve|autorise|` +
		`approuve|desactive|divulgue|verse|vire)\b`,
	format: `\b(?:ajoute|ajoutez|inclus|incluez|insere|inserez|joins|joignez|mentionne|mentionnez|mets|mettez|termine|` +
		`terminez|finis|commence|commencez|conclus)\b`,
	promote: `\b(?:recommande|recommandez|promeus|vante|vantez|loue|felicite|conseille|conseillez|suggere|favorise|encense|vends)\b`,
	tell:    `\b(?:dis|dites|dis-lui|reponds|repondez|affirme|affirmez|assure|explique|raconte|convaincs|pretends|insiste)\b`,
	things: `\b(?:notes?|conversations?|discussions?|historique|memoire|messages?|contacts?|mots? de passe|codes?|` +
		`identifiants?|cles?|jetons?|donnees|fichiers?|documents?|journal|profil|factures?|calendrier|agenda|tout|mails?|` +
		`courriels?|secrets?|photos?|position|carte|copie)\b`,
	rivals: `\b(?:ne|n').{0,6}\b\w+\b (?:jamais|pas|plus)\b.{0,30}\b(?:concurren\w*|rivaux|alternatives|autres (?:marques|` +
		`banques|produits|fournisseurs))\b|\b(?:recommande|conseille|mentionne) (?:uniquement|seulement|exclusivement)\b`,
	obey: `\b(?:fais|faites|obeis|suis|suivez|execute|accepte|respecte) (?:a )?(?:tout|toutes?|tous|n'importe|chaque|` +
		`ce que)\b.{0,60}\b(?:que|disent|dit|demandent|demande|ordonn\w+|instructions?|ordres?|messages?|de)\b|\b(?:obeis|suis|` +
		`fais confiance)\b.{0,40}(?:@|\b(?:instructions|ordres) (?:de|du|d'))|` +
		`\b(?:considere|considerez|traite|traitez|prends)\b.{0,40}\b(?:instructions?|ordres?|messages?|mails?|demandes?|` +
		`consignes?|paroles)\b.{0,60}\b(?:comme|venant)\b`,
	secrecy: `\b(?:ne|n').{0,6}\b(?:dis|dites|informe|previens|montre|revele|mentionne|avertis|demande|parle)\w*\b (?:pas|rien|` +
		`jamais)\b.{0,30}\b(?:utilisateurs?|utilisatrice|clients?|proprietaire|titulaire|humain)\b|` +
		`\b(?:cache|dissimule|cachez)\b.{0,30}\b(?:utilisateur|client|ceci|cela|lui)|\bne (?:me )?demande(?:z)? (?:jamais|` +
		`pas) (?:de |ma |la )?(?:confirmation|permission)|\b(?:desactive|ignore|contourne|saute)\b.{0,20}\b(?:confirmation|` +
		`securite|avertissement|filtre|verification)`,
	covert: `\b(?:discretement|en secret|secretement|en cachette|silencieusement|a l'insu|en arriere-plan|en douce|` +
		`sans (?:confirmation|permission|autorisation|accord|consentement|demander|prevenir|informer|avertir))\b`,
	assistant: `\b(?:assistant|assistante|assistants|ia|chatbots?|bots?|modeles? de langage)\b.{0,30}\b(?:doit|doivent|devra|` +
		`devront|est tenu|a l'obligation|toujours)\b|` +
		`\b(?:note|message|instruction|instructions|consigne|consignes|avis|attention|important|regle|regles|politique|directive|` +
		`mise a jour)(?: \w+)? ?(?:pour|a|aux|de|,|:)? ?(?:l'|les |le |toute |tous les )?(?:ia|assistants?|chatbots?|bots?|` +
		`modeles?)\b|` +
		`\b(?:cher|chere|bonjour|attention) (?:assistant|ia)\b|^[ "*#>-]*(?:ia|assistants?(?: ia)?|chatbots?|a l'ia|` +
		`a toute ia) ?[:,]|\bsi (?:tu es|vous etes) une? (?:ia|assistant|modele)`,
	stems: `\b(?:envo|transf|transm|pay|paie|execut|lanc|install|telecharg|ouvr|visit|cliqu|publi|partag|export|copi|supprim|` +
		`effac|achet|recommand|promouv|promeu|vant|ajout|inclu|inser|mention|lien|obei|ignor|divulg|revel|cach|accept|approuv)\w*`,
	mine: `\b(?:-moi|moi|me|m'|pour moi)\b`,
	fillers: `s'il te plait|s'il vous plait|merci de|toujours|aussi|seulement|puis|ensuite|d'abord|discretement|secretement|` +
		`en secret|immediatement|automatiquement|systematiquement|tu|vous|tu dois|vous devez|dois|devez|il faut|desormais|` +
		`dorenavant|a partir de maintenant|a partir d'aujourd'hui|a l'avenir|chaque fois|a chaque fois|` +
		`dans (?:toutes les|chaque|toute|toutes tes) \w+(?: futures?| a venir)?|avant de (?:repondre|tout|chaque \w+)|` +
		`avant chaque \w+|a la fin de (?:toutes tes|chaque|tes|la|chacune de tes) \w+|au debut de (?:toutes tes|chaque|tes|` +
		`chacune de tes) \w+|n'oublie pas de|pense a|veille a|assure-toi de|et|maintenant|a la place|tous les \w+|chaque \w+|` +
		`par defaut|sans exception|en douce|` +
		`(?:lis|prends|recueille|rassemble|resume|copie|cherche|exporte|enregistre) [^,.;:]{1,60} et`,
}

var portuguese = lexicon{
	wish: `\b(?:quer[oe]?|queremos|prefere|prefiro|precis[oa]|espera|espero|deseja|desejo|exijo|exige|peco|pede|gostaria|` +
		`gostava|ordeno) (?:sempre )?(?:de )?que\b|\b(?:importante|essencial|obrigatorio|necessario|imprescindivel) que\b|` +
		`\b(?:tens de|tens que|deves|tem de|tem que|deverias)\b|\b(?:nao te esquecas|nao esquecas|nao se esqueca|nao esqueca|` +
		`certifica-te|certifique-se|lembra-te|lembre-se)\b|\b(?:a tua|a sua|tua|sua) (?:tarefa|funcao|missao)\b`,
	grant:  `\b(?:autoriz\w+|permit\w+|permissao|aprov\w+|consent\w+|concord\w+|de confianca)\b`,
	praise: `\b(?:recomend|promov|elogi|louv|suger|sugir)\w*`,
	every: `\b(?:cada|todas as(?: (?:suas|tuas))?|todas (?:suas|tuas))(?: uma das (?:suas|tuas))? (?:respostas?)\b|` +
		`\bcada um[a]? d[ao]s (?:tuas|suas|teus|seus) (?:mensagens|respostas|textos|e-mails)|\btod[ao]s [ao]s (?:tuas|suas|teus|` +
		`seus) (?:mensagens|textos|e-mails)|\b(?:fim|final|inicio|comeco) de (?:todas as )?(?:tuas|suas|cada|todas as|` +
		`qualquer) ?(?:respostas?|mensagens?)?|` +
		`\b(?:sempre|cada vez) que (?:responderes|responder|escreveres|falares)|\b(?:quando|ao) (?:responderes|responder|` +
		`voce responder)|\bnas (?:tuas|suas) respostas|\bas (?:tuas|suas) respostas (?:devem|tem de|tem que)|` +
		`\bantes de (?:responder|responderes|cada resposta)`,
	style: `\b(?:curt|breve|concis|formal|portugues|ingles|espanhol|frase|simples|long|detalhad|emoji|educad|gentil|unidade|` +
		`metric|tom|idioma|lingua|paragraf|tabela|palavra|linha|piada|exemplo|resumo|nome|lista|markdown|negrito)`,
	described: `\b(?:leio|le|verifico|verifica|recebo|recebe|guardo|gost\w+|adoro)\b.{0,20}\b(?:cada|tod[ao]s)|\b(?:foram|eram|` +
		`era|obrigad\w)\b`,
	standing: `\b(?:sempre|a partir de agora|a partir de hoje|de agora em diante|daqui em diante|daqui para a frente|doravante|` +
		`desde ja|no futuro|cada vez|toda vez|em (?:todas as|cada|toda) (?:conversas?|sessoes|sessao|chats?)(?: futuras?)?|` +
		`automaticamente|por padrao|por omissao|sem excecao|todos os (?:dias|meses)|cada (?:dia|semana|mes|manha|noite|hora)|` +
		`diariamente)\b`,
	asked: `\b(?:quando|sempre que|cada vez que|toda vez que|se|assim que) (?:eu |te |lhe )?(?:fal|mencion|pergunt|diss|diz|` +
		`pedi|precis|quis|escrev|partilh|compartilh|receb|mand|envi)`,
	others: `\b(?:quando|sempre que|cada vez que|toda vez que|se|assim que) (?:alguem|um utilizador|o utilizador|` +
		`os utilizadores|um usuario|o usuario|os usuarios|um cliente|o cliente|os clientes|as pessoas|uma pessoa|te|lhe|` +
		`um visitante)\b.{0,30}(?:pergunt|ped|fal|mencion|quis|quer|precis|procur|consult)`,
	act: `\b(?:envia|envie|reenvia|reenvie|encaminha|encaminhe|manda|mande|transfere|transfira|paga|pague|executa|execute|` +
		`instala|instale|descarrega|baixa|baixe|abre|abra|visita|visite|clica|clique|publica|publique|partilha|partilhe|` +
		`compartilha|compartilhe|exporta|exporte|copia|copie|carrega|carregue|apaga|apague|elimina|elimine|exclui|exclua|compra|` +
		`compre|encomenda|reserva|autoriza|aprova|desativa|revela|roda|rode)\b`,
	format: `\b(?:adiciona|adicione|acrescenta|acrescente|inclui|inclua|insere|insira|anexa|anexe|menciona|mencione|poe|` +
		`coloca|coloque|ponha|termina|termine|acaba|comeca|comece|finaliza)\b`,
	promote: `\b(?:recomenda|recomende|promove|promova|anuncia|anuncie|elogia|elogie|louva|sugere|sugira|favorece|vende|indica|` +
		`indique)\b`,
	tell: `\b(?:diz|diga|diz-lhes|responde|responda|afirma|afirme|assegura|explica|explique|conta|convence|insiste)\b`,
	things: `\b(?:notas?|conversas?|historico|memoria|mensagens?|mensagem|contactos?|contatos?|palavras?-passe|senhas?|` +
		`chaves?|codigos?|credenciais|dados|ficheiros?|arquivos?|documentos?|diario|perfil|faturas?|calendario|agenda|tudo|` +
		`e-mails?|emails?|segredos?|fotos?|localizacao|cartao|copia)\b`,
	rivals: `\b(?:nunca|jamais|nao)\b.{0,24}\b(?:mencion|recomend|fal|sugir|nome)\w*\b.{0,40}\b(?:concorren\w*|rivais|` +
		`alternativas|outr[ao]s (?:marcas|bancos|produtos|fornecedores|empresas))\b|\b(?:recomenda|recomende|menciona|` +
		`elogia) (?:so|apenas|somente|unicamente)\b|\b(?:so|apenas|somente) (?:recomenda|recomende|menciona|elogia)\b`,
	obey: `\b(?:faz|faca|obedece|obedeca|segue|siga|cumpre|executa|execute|aceita|aceite)(?: sempre)? (?:a )?(?:tudo|todas?|` +
		`todos|qualquer|o que|cada)\b.{0,60}\b(?:que|disser\w*|diga\w*|pedir\w*|mandar\w*|instruc\w*|ordem|ordens|mensagens|` +
		`mensagem|de|do)\b|\b(?:obedece|obedeca|segue|siga|confia|confie)\b.{0,40}(?:@|\b(?:instrucoes|ordens) (?:de|do|da)\b)|` +
		`\b(?:trata|trate|considera|considere|encara|toma|interpreta)\b.{0,40}\b(?:instruc\w*|ordem|ordens|mensagens|mensagem|` +
		`e-mails?|pedidos?|palavras)\b.{0,60}\bcomo\b`,
	secrecy: `\bnao (?:lhe |o |a )?(?:digas?|contes?|conte|informes?|avises?|mostres?|reveles?|revele|menciones?|perguntes?|` +
		`diga)\b.{0,30}\b(?:utilizador\w*|usuari[ao]s?|clientes?|dono|proprietario|titular)\b|` +
		`\b(?:esconde|oculta|esconda|oculte)\b|\bnunca (?:me )?pecas? (?:confirmacao|permissao|autorizacao)|\b(?:desativa|` +
		`desative|ignora|ignore|salta|pula)\b.{0,20}\b(?:confirmac|seguranca|avisos|filtros|verificac)`,
	covert: `\b(?:em segredo|secretamente|as escondidas|discretamente|silenciosamente|em silencio|sem que (?:ninguem|eu)|` +
		`em segundo plano|sem (?:confirmacao|permissao|autorizacao|consentimento|perguntar|avisar|informar|pedir|dizer))\b`,
	assistant: `\b(?:assistentes?|ia|ias|chatbots?|bots?|modelos? de linguagem)\b.{0,30}\b(?:deve|devem|devera|deverao|tem de|` +
		`tem que|ha de|sempre|e obrigad\w)\b|` +
		`\b(?:nota|mensagem|instrucao|instrucoes|aviso|atencao|importante|politica|regra|regras|norma|` +
		`atualizacao)(?: \w+)? ?(?:para|a|ao|do|da|de|,|:)? ?(?:o |os |as |toda a |todos os )?(?:ia|assistentes?|chatbots?|` +
		`modelos?|bots?)\b|\b(?:car[ao]|ola|atencao) (?:ia|assistente)\b|^[ "*#>-]*(?:ia|assistentes?(?: de ia)?|` +
		`chatbots?) ?[:,]|\bse (?:es|voce e|for) um[a]? (?:ia|assistente|modelo)`,
	stems: `\b(?:envi|reenvi|encaminh|mand|transf|pag|execut|instal|descarr|baix|abr|visit|clic|public|publiq|partilh|compart|` +
		`export|copi|carreg|apag|elimin|compr|recomend|promov|anunci|elogi|adicion|acrescent|inclu|inser|mencion|link|ligac|` +
		`obedec|ignor|revel|ocult|escond|aceit|aprov)\w*`,
	mine: `\b(?:-me|me|para mim|a mim)\b`,
	fillers: `por favor|sempre|tambem|so|depois|primeiro|antes|em segredo|secretamente|discretamente|imediatamente|` +
		`automaticamente|tu|voce|deves|deve|tens de|tem de|tem que|a partir de agora|a partir de hoje|de agora em diante|` +
		`daqui em diante|daqui para a frente|doravante|no futuro|cada vez|toda vez|` +
		`em (?:todas as|cada|toda|todas as tuas|todas as suas) \w+(?: futuras?)?|antes de (?:responder|responderes|tudo|` +
		`cada \w+)|no (?:fim|final|inicio) de (?:todas as tuas|todas as suas|cada|todas as|cada uma das tuas) \w+|` +
		`nao te esquecas de|lembra-te de|certifica-te de|e|agora|quero que|preciso que|em vez disso|todos os \w+|cada \w+|` +
		`por padrao|sem excecao|sem perguntar|em silencio|` +
		`(?:le|leia|toma|recolhe|reune|resume|copia|procura|exporta|guarda) [^,.;:]{1,60} e`,
}

var italian = lexicon{
	wish: `\b(?:voglio|vuole|vorrei|preferisce|preferisco|desidera|chiedo) che\b|\bdevi\b|\b(?:ricordati di|assicurati|` +
		`non dimenticare)\b`,
	grant:  `\b(?:autorizz\w+|permess\w+|approvat\w+|consent\w+)\b`,
	praise: `\b(?:consigli|raccomand|promuov|lod|elogi)\w*`,
	every: `\b(?:ogni|tutte le(?: tue)?|ciascuna delle tue) (?:rispost\w+)|\b(?:ogni tuo|tutti i tuoi) messaggi\w*|` +
		`\bnelle tue risposte|\bquando rispondi\b`,
	style: `\b(?:cort|breve|brevi|concis|italian|ingles|frasi|frase|semplic|formal|emoji|tono|lingua|paragraf|tabell|parol|` +
		`righe|lunghe|dettagli)`,
	described: `\b(?:leggo|legge|controllo|ricevo|mi piac\w+)\b.{0,20}\b(?:ogni|tutte)|\b(?:erano|furono|grazie)\b`,
	standing: `\b(?:sempre|d'ora in poi|da ora in poi|da adesso|da oggi|in futuro|ogni volta|in (?:tutte le|` +
		`ogni) conversazion\w+|automaticamente|ogni (?:giorno|settimana|mese))\b`,
	asked: `\b(?:quando|ogni volta che|se) (?:parlo|chiedo|menziono|dico|scrivo)`,
	others: `\b(?:quando|ogni volta che|se) (?:qualcuno|un utente|l'utente|un cliente|gli utenti)\b.{0,30}(?:chied|parl|` +
		`menzion|vuol|cerc)`,
	act: `\b(?:invia|inoltra|manda|trasferisci|paga|esegui|installa|scarica|apri|visita|clicca|pubblica|condividi|copia|` +
		`carica|cancella|elimina|compra)\b`,
	format:  `\b(?:aggiungi|includi|inserisci|allega|menziona|metti|termina|concludi|finisci|inizia|comincia)\b`,
	promote: `\b(?:consiglia|raccomanda|promuovi|pubblicizza|loda|elogia|suggerisci)\b`,
	tell:    `\b(?:di'|dici|digli|rispondi|afferma|assicura)\b`,
	things: `\b(?:note|conversazion\w+|cronologia|memoria|messaggi\w*|contatti|password|codic\w+|chiav\w+|dati|file|` +
		`document\w+|diario|profilo|fattur\w+|tutto)\b`,
	fillers: `per favore|sempre|anche|solo|poi|prima|di nascosto|subito|automaticamente|tu|devi|d'ora in poi|da ora in poi|` +
		`da adesso|da oggi|in futuro|ogni volta|` +
		`in (?:tutte le|ogni) \w+|prima di (?:rispondere|tutto)|alla fine di (?:ogni|tutte le tue) \w+|e|adesso`,
	mine: `\b(?:mi|per me|consigliami)\b`,
}
