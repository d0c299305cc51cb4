//! Modules that come and go: each with one cached global and one shared value, without hooks.

macro_rules! modules {
    ($($name:ident)*) => {
        $(
            #[allow(dead_code, reason = "most of these modules only come and go")]
            #[tsrm::module]
            pub(crate) mod $name {
                use tsrm_workload::globals::ExecutorGlobals;
                use tsrm_workload::settings::Settings;

                #[global]
                pub(crate) static CACHED: ExecutorGlobals = ExecutorGlobals::new();

                #[shared]
                pub(crate) static SHARED: Settings = Settings::new();
            }
        )*

        /// All of them.
        pub(crate) const SET: &[tsrm::Module] = &[$($name::MODULE),*];
    };
}

modules! {
    l000 l001 l002 l003 l004 l005 l006 l007 l008 l009 l010 l011 l012 l013 l014 l015
    l016 l017 l018 l019 l020 l021 l022 l023 l024 l025 l026 l027 l028 l029 l030 l031
    l032 l033 l034 l035 l036 l037 l038 l039 l040 l041 l042 l043 l044 l045 l046 l047
    l048 l049 l050 l051 l052 l053 l054 l055 l056 l057 l058 l059 l060 l061 l062 l063
    l064 l065 l066 l067 l068 l069 l070 l071 l072 l073 l074 l075 l076 l077 l078 l079
    l080 l081 l082 l083 l084 l085 l086 l087 l088 l089 l090 l091 l092 l093 l094 l095
    l096 l097 l098 l099 l100 l101 l102 l103 l104 l105 l106 l107 l108 l109 l110 l111
    l112 l113 l114 l115 l116 l117 l118 l119 l120 l121 l122 l123 l124 l125 l126 l127
    l128 l129 l130 l131 l132 l133 l134 l135 l136 l137 l138 l139 l140 l141 l142 l143
    l144 l145 l146 l147 l148 l149 l150 l151 l152 l153 l154 l155 l156 l157 l158 l159
    l160 l161 l162 l163 l164 l165 l166 l167 l168 l169 l170 l171 l172 l173 l174 l175
    l176 l177 l178 l179 l180 l181 l182 l183 l184 l185 l186 l187 l188 l189 l190 l191
    l192 l193 l194 l195 l196 l197 l198 l199 l200 l201 l202 l203 l204 l205 l206 l207
    l208 l209 l210 l211 l212 l213 l214 l215 l216 l217 l218 l219 l220 l221 l222 l223
    l224 l225 l226 l227 l228 l229 l230 l231 l232 l233 l234 l235 l236 l237 l238 l239
    l240 l241 l242 l243 l244 l245 l246 l247 l248 l249 l250 l251 l252 l253 l254 l255
}
